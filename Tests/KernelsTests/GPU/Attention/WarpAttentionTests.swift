import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// Attention by warps and by tiles compared with plain loops. NVIDIA devices use PTX, and other devices OpenCL C
/// versions of the warp functions.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLWarpAttentionTests {
  struct Variant {
    var items = 2
    var length: Int
    var sources: Int
    var depth: Int
    var width: Int
    /// Elements of a query, key or value are strided, as with channels before positions.
    var isTransposed = false
    var masks: [AttentionShape.Mask.Kind] = []
    var hasF16Masks = false
    var endsInF16 = false
    var isLowPrecision = false
    /// Elements before the operands, a multiple of a chunk or not.
    var padding = 8
  }

  @Test(arguments: [
    // One key block and less, several, ragged ends, and all work-group sizes.
    Variant(length: 16, sources: 16, depth: 16, width: 16),
    Variant(items: 1, length: 9, sources: 5, depth: 3, width: 7),
    Variant(length: 33, sources: 70, depth: 24, width: 40, masks: [.add]),
    Variant(items: 3, length: 130, sources: 130, depth: 64, width: 64, endsInF16: true),
    Variant(length: 20, sources: 50, depth: 40, width: 24, isTransposed: true, masks: [.keep], padding: 3),
    Variant(length: 17, sources: 33, depth: 32, width: 16, masks: [.drop, .add], hasF16Masks: true, padding: 1),
    Variant(items: 1, length: 40, sources: 100, depth: 128, width: 128, masks: [.keep, .add]),
    Variant(length: 12, sources: 20, depth: 16, width: 32, isTransposed: true, endsInF16: true, isLowPrecision: true),
  ])
  func agreesWithPlainLoops(_ form: Variant) throws {
    guard !OpenCLHarness.isSimulated || form.length * form.sources * form.depth <= 12_000 else { return }
    let warps = OpenCLHarness.isSimulated ? [1] : CLAttention.WarpTile.allWarps
    for count in warps {
      try expectAttention(form, by: .warps(count))
      try expectAttention(form, by: .warps(count), of: .floats)
    }
    // A work-group of the simulator has too little memory for them.
    if !OpenCLHarness.isSimulated { try expectAttention(form, by: .groups) }
  }

  /// Without warps: one tile and several, with full and partial key blocks, rows of whole chunks and others, small and
  /// large.
  @Test(
    arguments: [
      Variant(items: 1, length: 17, sources: 16, depth: 16, width: 32),
      Variant(length: 20, sources: 37, depth: 13, width: 7),
      Variant(length: 70, sources: 70, depth: 24, width: 40, masks: [.add], endsInF16: true),
      Variant(items: 1, length: 130, sources: 100, depth: 64, width: 64, masks: [.keep, .add], hasF16Masks: true),
      Variant(length: 40, sources: 50, depth: 40, width: 24, isTransposed: true, masks: [.drop], padding: 3),
      Variant(items: 1, length: 33, sources: 40, depth: 128, width: 128, padding: 4),
    ], CLWarpProduct.Factors.allCases)
  func manyQueries(_ form: Variant, _ numbers: CLWarpProduct.Factors) throws {
    guard !OpenCLHarness.isSimulated || form.length * form.sources * form.depth <= 12_000 else { return }
    try expectAttention(form, by: .tiles, of: numbers)
  }

  /// Warp groups with larger key blocks, which are used for many keys.
  @Test(arguments: [
    Variant(items: 1, length: 70, sources: 530, depth: 64, width: 40, endsInF16: true),
    Variant(
      items: 1, length: 20, sources: 600, depth: 24, width: 64, masks: [.add], hasF16Masks: true, endsInF16: true),
    Variant(items: 1, length: 20, sources: 512, depth: 16, width: 16, masks: [.keep]),
  ])
  func manyKeys(_ form: Variant) throws {
    guard !OpenCLHarness.isSimulated else { return }
    try expectAttention(form, by: .groups)
  }

  /// One to four queries whose keys are split between work-groups: one group, several, ragged ends, and more columns
  /// than work-items.
  @Test(arguments: [
    Variant(length: 1, sources: 300, depth: 24, width: 20),
    Variant(items: 3, length: 4, sources: 130, depth: 16, width: 140),
    Variant(length: 3, sources: 129, depth: 13, width: 8, isTransposed: true, masks: [.keep, .add], padding: 3),
    Variant(length: 2, sources: 7, depth: 8, width: 16, masks: [.add], hasF16Masks: true, endsInF16: true, padding: 1),
  ])
  func aFewQueries(_ form: Variant) throws { try expectAttention(form, by: .few) }

  /// A mask of minus infinity hides keys, for some queries all of them. NaN makes the result of its query NaN. Infinite
  /// values stay infinite.
  @Test(arguments: CLWarpProduct.Factors.allCases, [false, true])
  func whatIsNoNumber(_ numbers: CLWarpProduct.Factors, byTiles: Bool) throws {
    let (length, sources, depth) = (byTiles ? 18 : 10, 20, 16)
    let view = StridedMatrices(rowStep: depth, columnStep: 1)
    let form = AttentionShape(
      items: 1, length: length, depth: depth, width: depth, scale: 0.25, query: view,
      parts: [AttentionShape.Part(rows: sources, key: view, value: view)],
      masks: [AttentionShape.Mask(.add, view: StridedMatrices(rowStep: sources, columnStep: 1))], output: view,
      outputShape: [length, depth])
    var query = OpenCLHarness.numbers(length * depth).map { Float16($0) }
    let key = OpenCLHarness.numbers(sources * depth, seed: 2).map { Float16($0) }
    var value = OpenCLHarness.numbers(sources * depth, seed: 3).map { Float16($0) }
    var mask = [Float](repeating: 0, count: length * sources)
    for source in 0..<sources { mask[3 * sources + source] = -.infinity }
    for source in 1..<sources { mask[5 * sources + source] = -.infinity }
    query[7 * depth] = .nan
    value[4 * depth + 2] = .infinity
    let context = try OpenCLHarness.context()
    let f16: F16Operands = numbers == .floats ? .none : [.first, .second, .third]
    let attention: CLAttention
    if byTiles {
      attention = try CLAttention(tiles: context, form, f16: f16)
    } else if numbers == .floats {
      attention = try CLAttention(floats: Self.warps(of: .floats), context, form)
    } else {
      attention = try CLAttention(context, Self.warps(), form, f16: f16)
    }
    func upload(_ operand: [Float16]) throws -> OpenCLMemory {
      numbers == .floats
        ? try OpenCLHarness.upload(operand.map { Float($0) }) : try OpenCLHarness.upload(operand)
    }
    let memory = (try upload(query), try upload(key), try upload(value), try OpenCLHarness.upload(mask))
    let found = try OpenCLHarness.run(length * depth) {
      try attention.enqueue(
        on: $0, query: memory.0, key: memory.1, value: memory.2, first: memory.3, y: $1)
    }
    for row in 0..<length {
      for column in 0..<depth {
        let number = found[row * depth + column]
        switch row {
        case 3, 7: #expect(number.isNaN, "row \(row)")
        // One key remains visible.
        case 5:
          #expect(
            column == 2 ? number.isNaN : abs(number - Float(value[column])) < (numbers == .floats ? 1e-3 : 1e-6),
            "row \(row): \(number)")
        default: #expect(column == 2 ? number == .infinity : number.isFinite, "row \(row), \(column): \(number)")
        }
      }
    }
  }

  private static func warps(of numbers: CLWarpProduct.Factors = .f16) throws -> CLWarps {
    if OpenCLHarness.isSimulated { return .plain }
    let use: CLWarps.Uses = numbers == .f16 ? .attention : .floatAttention
    return try #require(
      try OpenCLHarness.context().features.warps(for: use), "the device's attention by warps is wrong")
  }

  /// The kernel that computes the attention of a query block.
  private enum Way {
    case warps(Int), groups, few, tiles
  }

  private func expectAttention(_ it: Variant, by way: Way, of numbers: CLWarpProduct.Factors = .f16) throws {
    let context = try OpenCLHarness.context()
    func view(_ rows: Int, _ columns: Int, _ isTransposed: Bool) -> StridedMatrices {
      StridedMatrices(
        rowStep: isTransposed ? 1 : columns, columnStep: isTransposed ? rows : 1,
        batch: [StridedMatrices.Axis(it.items, rows * columns)])
    }
    let views = [
      view(it.length, it.depth, it.isTransposed), view(it.sources, it.depth, it.isTransposed),
      view(it.sources, it.width, it.isTransposed), view(it.length, it.width, false),
    ]
    // The first mask is shared by all items, and the second by all queries.
    let places = [
      StridedMatrices(rowStep: it.sources, columnStep: 1, batch: [StridedMatrices.Axis(it.items, 0)]),
      StridedMatrices(rowStep: 0, columnStep: 1, batch: [StridedMatrices.Axis(it.items, it.sources)]),
    ]
    let form = AttentionShape(
      items: it.items, length: it.length, depth: it.depth, width: it.width, scale: 0.5, query: views[0],
      parts: [AttentionShape.Part(rows: it.sources, key: views[1], value: views[2])],
      masks: it.masks.enumerated().map { AttentionShape.Mask($1, fill: -3, view: places[$0]) }, output: views[3],
      outputShape: [it.items, it.length, it.width])
    let sizes = [it.length * it.depth, it.sources * it.depth, it.sources * it.width]
    let operands = sizes.enumerated().map { number, size in
      OpenCLHarness.numbers(it.items * size, seed: UInt64(number + 1)).map { Float16($0) }
    }
    let masks = it.masks.indices.map { number in
      OpenCLHarness.numbers(number == 0 ? it.length * it.sources : it.items * it.sources, seed: UInt64(number + 5))
        .map { Float(Float16($0)) }
    }
    var f16: F16Operands = numbers == .floats ? .none : [.first, .second, .third]
    if it.endsInF16 { f16.insert(.result) }
    for (number, kind) in it.masks.enumerated() where kind == .add && it.hasF16Masks {
      f16.insert(number == 0 ? .fourth : .fifth)
    }
    let attention: CLAttention
    switch way {
    case .groups:
      let warps = context.features.hasGroupAttention ? CLWarps.ptx : .plain
      attention = try CLAttention(groups: warps, context, form, f16: f16, isLowPrecision: it.isLowPrecision)
    case .few: attention = try CLAttention(few: context, form, f16: f16)
    case .tiles: attention = try CLAttention(tiles: context, form, f16: f16)
    case .warps(let count) where numbers == .floats:
      let tile = try #require(CLAttention.FloatTile(warps: count, depth: it.depth, width: it.width, on: context.device))
      attention = try CLAttention(floats: Self.warps(of: .floats), context, form, f16: f16, tile: tile)
    case .warps(let count):
      let tile = try #require(CLAttention.WarpTile(warps: count, depth: it.depth, width: it.width, on: context.device))
      attention = try CLAttention(
        context, Self.warps(), form, f16: f16, isLowPrecision: it.isLowPrecision, tile: tile)
    }
    let scratch = try context.makeBuffer(copying: [Float](repeating: .nan, count: CLAttention.fewBytes(form) / 4))
    // fp32 values exceed the range of fp16. fp16 results do not.
    let large: Float = it.endsInF16 ? 1 : 131_072
    let factors: [Float] = numbers == .floats ? [131_072, 1 / 131_072, large] : [1, 1, 1]
    let memory = try operands.enumerated().map { number, operand in
      numbers == .floats
        ? try OpenCLHarness.upload(operand.map { Float($0) * factors[number] }, padding: it.padding)
        : try OpenCLHarness.upload(operand, padding: it.padding)
    }
    let maskMemory = try it.masks.enumerated().map { number, kind in
      if kind != .add { return try OpenCLHarness.upload(masks[number].map { $0 > -0.5 ? UInt8(1) : 0 }) }
      return it.hasF16Masks
        ? try OpenCLHarness.upload(masks[number].map { Float16($0) }) : try OpenCLHarness.upload(masks[number])
    }
    func run(_ queue: OpenCLQueue, _ y: OpenCLMemory) throws {
      try attention.enqueue(
        on: queue, query: memory[0], key: memory[1], value: memory[2], first: maskMemory.first,
        second: maskMemory.dropFirst().first, y: y, scratch: scratch.memory)
    }
    let results = it.items * it.length * it.width
    let found: [Float]
    if it.endsInF16 {
      let numbers: [Float16] = try OpenCLHarness.run(results, initial: .nan, run)
      found = numbers.map { Float($0) }
    } else {
      found = try OpenCLHarness.run(results, run).map { $0 / factors[2] }
    }
    var expected: [Float] = []
    for item in 0..<it.items {
      func at(_ number: Int, _ row: Int, _ column: Int) -> Double {
        let view = views[number]
        return Double(
          operands[number][item * sizes[number] + row * view.rowStep + column * view.columnStep])
      }
      for row in 0..<it.length {
        let shares = (0..<it.sources).map { source -> Double in
          var score = 0.0
          for d in 0..<it.depth { score += at(0, row, d) * at(1, source, d) }
          score *= 0.5
          for (number, kind) in it.masks.enumerated() {
            let mask = masks[number][number == 0 ? row * it.sources + source : item * it.sources + source]
            if kind == .add { score += Double(mask) } else if (mask > -0.5) != (kind == .keep) { score = -3 }
          }
          return exp(score)
        }
        let total = shares.reduce(0, +)
        for column in 0..<it.width {
          var sum = 0.0
          for source in 0..<it.sources { sum += shares[source] * at(2, source, column) }
          expected.append(Float(sum / total))
        }
      }
    }
    var isRounded = it.endsInF16 || it.isLowPrecision
    if case .warps = way, numbers == .floats { isRounded = true }
    OpenCLHarness.expectClose(found, expected, tolerance: isRounded ? 1e-3 : 5e-6, "\(it), \(way), \(numbers)")
  }
}
