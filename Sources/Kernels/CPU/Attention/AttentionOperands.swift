import CKernels
import MIL

/// fp32 attention as its kernels see it: the operands' slots, and the offsets of each item's matrices.
struct AttentionOperands: Sendable {
  let form: AttentionShape
  /// Number of keys of each query.
  let sources: Int
  let places: AttentionOffsets
  let threads: Int
  /// For each mask, whether its rows are expanded to fp32 elements in scratch memory before use.
  let isLaidOut: [Bool]
  /// The element types of keys and values, by part.
  private let keysStored: [ck_stored]
  private let valuesStored: [ck_stored]
  private let query: Int
  private let keys: [Int]
  private let values: [Int]
  private let masks: [Int]

  static let mostMasks = 4
  static let mostParts = 8

  init(_ problem: KernelProblem) throws {
    try problem.requireScalar(.float32, of: ["query"])
    threads = max(problem.threads, 1)
    let isFused = problem.operation == AttentionShape.operationName
    form = try isFused ? AttentionShape(fused: problem.invocation) : AttentionShape(dense: problem.invocation)
    sources = form.sources
    query = try problem.slot("query")
    func stored(_ name: String, _ index: Int, rounds: Bool) throws -> ck_stored {
      switch try problem.scalar(name, index) {
      case .float32: rounds ? CK_STORED_F32_ROUNDED : CK_STORED_F32
      case .float16 where isFused: CK_STORED_F16
      case let scalar: throw Refusal("'\(name)' is \(scalar.rawValue), the kernel takes fp32")
      }
    }
    keysStored = try form.parts.enumerated().map { try stored("key", $0, rounds: $1.roundsKey) }
    valuesStored = try form.parts.enumerated().map { try stored("value", $0, rounds: $1.roundsValue) }
    (keys, values, masks) = (
      problem.slots("key"), problem.slots("value"), problem.slots(isFused ? "mask" : "attn_mask")
    )
    guard form.items >= 1, form.items <= BatchedProduct.placeLimit else {
      throw Refusal("the batch is empty or too large")
    }
    try Refusal.unlessProduct(form.length, form.depth, sources, form.width)
    guard masks.count <= Self.mostMasks, form.parts.count <= Self.mostParts else {
      throw Refusal("more than \(Self.mostMasks) masks or \(Self.mostParts) parts")
    }
    for (index, mask) in form.masks.enumerated() {
      let scalar = try problem.scalar(isFused ? "mask" : "attn_mask", index)
      guard scalar == (mask.kind == .add ? .float32 : .bool) else { throw Refusal("a mask is \(scalar.rawValue)") }
    }
    isLaidOut = form.masks.map { $0.kind != .add || $0.view.columnStep != 1 }
    places = AttentionOffsets(form)
  }

  /// The head description for the C kernels, for this many queries at a time.
  func head(queries: Int) -> ck_attention {
    ck_attention(
      queries: queries, keys: sources, depth: form.depth, width: form.width, query: form.query.steps,
      key: form.parts[0].key.steps, value: form.parts[0].value.steps, out: form.output.steps, scale: form.scale)
  }

  func query(_ frame: CPUFrame, _ item: Int, row: Int) -> UnsafePointer<Float> {
    frame.input(query, as: Float.self) + places.query[item] + row * form.query.rowStep
  }
  /// Whether all keys and values are fp32 and read in place.
  var areFloats: Bool { (keysStored + valuesStored).allSatisfy { $0 == CK_STORED_F32 } }

  func key(_ frame: CPUFrame, _ item: Int) -> UnsafePointer<Float> {
    frame.input(keys[0], as: Float.self) + places.keys[0][item]
  }
  func value(_ frame: CPUFrame, _ item: Int) -> UnsafePointer<Float> {
    frame.input(values[0], as: Float.self) + places.values[0][item]
  }
  private func place(_ frame: CPUFrame, _ slot: Int, _ index: Int, _ stored: ck_stored) -> UnsafeRawPointer {
    UnsafeRawPointer(frame.input(slot, as: UInt8.self)) + index * (stored == CK_STORED_F16 ? 2 : 4)
  }
  func output(_ frame: CPUFrame, _ item: Int, row: Int) -> UnsafeMutablePointer<Float> {
    frame.output(0, as: Float.self) + places.output[item] + row * form.output.rowStep
  }

  /// fp32 elements that `masks` needs for this many rows.
  func maskFloats(rows: Int) -> Int {
    zip(isLaidOut, form.masks).reduce(Self.maskHeads) {
      $0 + ($1.0 ? ($1.1.view.rowStep == 0 ? 1 : rows) * sources : 0)
    }
  }

  /// fp32 elements of the descriptions of all masks, and of all parts.
  private static let maskHeads = 32
  static let partFloats = 128

  /// The masks for the scores of a range of rows. Their descriptions are at the beginning of `scratch`. Masks that are
  /// not rows of fp32 elements are expanded after the descriptions.
  func masks(
    _ frame: CPUFrame, _ item: Int, _ rows: Range<Int>, _ scratch: UnsafeMutablePointer<Float>
  ) -> UnsafePointer<ck_score_mask> {
    let heads = UnsafeMutableRawPointer(scratch).assumingMemoryBound(to: ck_score_mask.self)
    var line = scratch + Self.maskHeads
    for index in masks.indices {
      let mask = form.masks[index]
      let first = places.masks[index][item] + rows.lowerBound * mask.view.rowStep
      if !isLaidOut[index] {
        heads[index] = ck_score_mask(
          numbers: frame.input(masks[index], as: Float.self) + first, row: mask.view.rowStep, replaces: false)
        continue
      }
      let count = mask.view.rowStep == 0 ? 1 : rows.count
      heads[index] = ck_score_mask(numbers: line, row: count == 1 ? 0 : sources, replaces: mask.kind != .add)
      for row in 0..<count {
        layOut(frame, index, first + row * mask.view.rowStep, line)
        line += sources
      }
    }
    return UnsafePointer(heads)
  }

  /// Expands one row of a mask to fp32 elements. NaN leaves the score unchanged.
  private func layOut(_ frame: CPUFrame, _ index: Int, _ first: Int, _ line: UnsafeMutablePointer<Float>) {
    let mask = form.masks[index]
    let (step, fill) = (mask.view.columnStep, mask.fill)
    if mask.kind == .add {
      let from = frame.input(masks[index], as: Float.self) + first
      for column in 0..<sources { line[column] = from[column * step] }
      return
    }
    let from = frame.input(masks[index], as: UInt8.self) + first
    let (set, clear) = mask.kind == .keep ? (Float.nan, fill) : (fill, Float.nan)
    if step == 1 {
      for column in 0..<sources { line[column] = from[column] != 0 ? set : clear }
    } else {
      for column in 0..<sources { line[column] = from[column * step] != 0 ? set : clear }
    }
  }

  /// The parts of an item's keys and values, described in `scratch`.
  func parts(
    _ frame: CPUFrame, _ item: Int, _ scratch: UnsafeMutablePointer<Float>
  ) -> UnsafePointer<ck_attention_part> {
    let heads = UnsafeMutableRawPointer(scratch).assumingMemoryBound(to: ck_attention_part.self)
    for index in form.parts.indices {
      let part = form.parts[index]
      heads[index] = ck_attention_part(
        keys: place(frame, keys[index], places.keys[index][item], keysStored[index]),
        values: place(frame, values[index], places.values[index][item], valuesStored[index]), key: part.key.steps,
        value: part.value.steps, count: part.rows, key_stored: keysStored[index], value_stored: valuesStored[index])
    }
    return UnsafePointer(heads)
  }
}

extension StridedMatrices {
  fileprivate var steps: ck_strides { ck_strides(row: rowStep, column: columnStep) }
}
