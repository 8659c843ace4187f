import TestSupport
import Testing

@testable import CoreMLKernels

/// Kernels that move elements, compared with plain loops over positions.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLMoveTests {
  @Test func transposes() throws {
    // The last three also use local memory.
    let cases: [([Int], [Int])] = [
      ([2, 3, 4], [0, 1, 2]), ([2, 3, 4, 5], [3, 1, 0, 2]), ([2, 1, 3, 2, 2, 3], [5, 0, 4, 2, 1, 3]), ([7], [0]),
      ([0, 3], [1, 0]), ([40, 33], [1, 0]), ([3, 9, 70], [0, 2, 1]), ([2, 3, 35, 8], [0, 3, 1, 2]),
    ]
    let context = try OpenCLHarness.context()
    for (number, (shape, permutation)) in cases.enumerated() {
      let sizes = permutation.map { shape[$0] }
      let strides = Places.strides(shape)
      let isMatrices = number >= cases.count - 3 && context.device.maxWorkGroupSize >= 256
      for way in isMatrices ? [CLMove.Way.strided, .tiles] : [.strided] {
        let move = try CLMove.transpose(context, elementSize: 4, shape: shape, permutation: permutation, by: way)
        try expect(move, shape, sizes, "\(way) transpose of \(shape) by \(permutation)") { place in
          zip(place, permutation).reduce(0) { $0 + $1.0 * strides[$1.1] }
        }
      }
      if number < cases.count - 3 {
        #expect(throws: KernelError.self) {
          try CLMove.transpose(context, elementSize: 4, shape: shape, permutation: permutation, by: .tiles)
        }
      }
    }
    #expect(throws: KernelError.self) {
      try CLMove.transpose(try OpenCLHarness.context(), elementSize: 4, shape: [2, 3], permutation: [0, 0])
    }
  }

  @Test func slices() throws {
    let shape = [4, 5, 6]
    let strides = Places.strides(shape)
    let cases: [([Int], [Int], [Int])] = [
      ([0, 0, 0], [1, 1, 1], [4, 5, 6]), ([1, 2, 3], [1, 1, 1], [2, 3, 2]), ([3, 4, 5], [-1, -2, -3], [4, 3, 2]),
      ([0, 1, 0], [2, 3, 5], [2, 2, 2]), ([2, 2, 2], [1, 1, 1], [1, 1, 1]), ([0, 0, 0], [1, 1, 1], [2, 0, 3]),
    ]
    for (begin, step, sizes) in cases {
      let move = try CLMove.slice(
        try OpenCLHarness.context(), elementSize: 4, shape: shape, begin: begin, step: step, sizes: sizes)
      try expect(move, shape, sizes, "slice from \(begin) by \(step)") { place in
        place.indices.reduce(0) { $0 + (begin[$1] + place[$1] * step[$1]) * strides[$1] }
      }
    }
    let outside: [([Int], [Int], [Int])] = [
      ([0, 0, 5], [1, 1, 1], [4, 5, 2]), ([0, 0, 0], [-1, 1, 1], [2, 1, 1]), ([4, 0, 0], [1, 1, 1], [1, 1, 1]),
      ([0, 0, 0], [.max, 1, 1], [2, 1, 1]), ([0, 0], [1, 1], [1, 1]),
    ]
    for (begin, step, sizes) in outside {
      #expect(throws: KernelError.self, "\(begin) \(step) \(sizes)") {
        try CLMove.slice(
          try OpenCLHarness.context(), elementSize: 4, shape: shape, begin: begin, step: step, sizes: sizes)
      }
    }
  }

  @Test func concatenation() throws {
    let context = try OpenCLHarness.context()
    let parts = [[2, 3, 4], [2, 1, 4], [2, 5, 4]]
    let output = [2, 9, 4]
    let inputs = parts.enumerated().map { OpenCLHarness.numbers($1.reduce(1, *), seed: UInt64($0 + 1)) }
    let memory = try inputs.map { try OpenCLHarness.upload($0) }
    let found = try OpenCLHarness.run(72) { queue, y in
      var begin = 0
      for (shape, input) in zip(parts, memory) {
        try CLMove.place(context, elementSize: 4, sizes: shape, in: output, begin: [0, begin, 0])
          .enqueue(on: queue, x: input, y: y)
        begin += shape[1]
      }
    }
    var expected: [Float] = []
    for row in 0..<2 {
      for (shape, input) in zip(parts, inputs) {
        let size = shape[1] * shape[2]
        expected += input[row * size..<(row + 1) * size]
      }
    }
    #expect(found == expected)
  }

  @Test func tilesAndBroadcasts() throws {
    let context = try OpenCLHarness.context()
    let tile = try CLMove.tile(context, elementSize: 4, shape: [2, 3], repeats: [3, 2])
    try expect(tile, [2, 3], [6, 6], "tile") { $0[0] % 2 * 3 + $0[1] % 3 }
    let broadcast = try CLMove.broadcast(context, elementSize: 4, shape: [3, 1], to: [2, 3, 4])
    try expect(broadcast, [3, 1], [2, 3, 4], "broadcast") { $0[1] }
  }

  @Test func elementsOfEverySize() throws {
    func reversed<T: BitwiseCopyable & Equatable>(_ values: [T], _ initial: T) throws -> Bool {
      let move = try CLMove.slice(
        try OpenCLHarness.context(), elementSize: MemoryLayout<T>.size, shape: [values.count],
        begin: [values.count - 1],
        step: [-1], sizes: [values.count])
      let x = try OpenCLHarness.upload(values)
      return try OpenCLHarness.run(values.count, initial: initial) { try move.enqueue(on: $0, x: x, y: $1) }
        == values.reversed()
    }
    #expect(try reversed([UInt8](1...9), 0))
    #expect(try reversed([UInt16](1000...1009), 0))
    #expect(try reversed([Int64](1...5).map { $0 << 40 }, 0))
    #expect(throws: KernelError.self) { try clMoveType(3) }
  }

  @Test func fills() throws {
    let context = try OpenCLHarness.context()
    let fill = try CLFill(context, elementSize: 4, count: 5, bits: Float(2.5).bitPattern)
    #expect(try OpenCLHarness.run(7) { try fill.enqueue(on: $0, y: $1) }.prefix(5) == [2.5, 2.5, 2.5, 2.5, 2.5])
    #expect(try OpenCLHarness.run(7) { try fill.enqueue(on: $0, y: $1) }.suffix(2).allSatisfy(\.isNaN))
    let bytes = try CLFill(context, elementSize: 1, count: 3, bits: 1)
    #expect(try OpenCLHarness.run(4, initial: UInt8(7)) { try bytes.enqueue(on: $0, y: $1) } == [1, 1, 1, 7])
  }

  /// Concatenation of ranges from several buffers. One buffer occurs twice, and one range starts at an offset. The gaps
  /// between ranges stay unchanged.
  @Test func joins() throws {
    let context = try OpenCLHarness.context()
    let x = [OpenCLHarness.numbers(3), OpenCLHarness.numbers(900), OpenCLHarness.numbers(7)]
    let inputs = try x.map { try OpenCLHarness.upload($0) }
    let picks = [1, 0, 2, 0, 1]
    let runs = [(2, 600), (0, 3), (5, 2), (1, 1), (0, 300)]
    for count in 1...runs.count {
      var (target, parts, expected): (Int, [CLJoin.Run], [Float]) = (1, [], [])
      for (pick, (source, amount)) in zip(picks, runs).prefix(count) {
        parts.append(CLJoin.Run(elements: x[pick].count, source: source, count: amount, target: target))
        expected += [.nan] + x[pick][source..<source + amount]
        target += amount + 1
      }
      let join = try CLJoin(context, elementSize: 4, parts, to: target)
      let found = try OpenCLHarness.run(target) { queue, y in
        try join.enqueue(on: queue, { inputs[picks[$0]] }, y: y)
      }
      #expect(zip(found, expected + [.nan]).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }, "\(count) runs")
    }
    let wrong = [
      CLJoin.Run(elements: 3, source: 2, count: 2, target: 0), CLJoin.Run(elements: 3, source: 0, count: 3, target: 8),
      CLJoin.Run(elements: 3, source: -1, count: 2, target: 0), CLJoin.Run(elements: 3, source: 0, count: 0, target: 0),
    ]
    for run in wrong {
      #expect(throws: KernelError.self, "\(run)") { try CLJoin(context, elementSize: 4, [run], to: 10) }
    }
    #expect(throws: KernelError.self) { try CLJoin(context, elementSize: 4, [], to: 10) }
  }

  /// Splits into parts of several sizes, from memory at an offset. Each part must end at its boundary.
  @Test func splits() throws {
    let context = try OpenCLHarness.context()
    for columns in [[5], [3, 4], [1, 300, 2], [4, 4, 4, 4, 4]] {
      let (rows, total) = (7, columns.reduce(0, +))
      let x = OpenCLHarness.numbers(rows * total)
      let input = try OpenCLHarness.upload(x, padding: 3)
      let split = try CLSplit(context, elementSize: 4, rows: rows, columns: columns)
      let parts = try columns.map {
        try context.makeBuffer(copying: [Float](repeating: .nan, count: rows * $0 + 1)).memory
      }
      let queue = try context.makeQueue()
      try split.enqueue(on: queue, x: input) { parts[$0] }
      var begin = 0
      for (part, count) in zip(parts, columns) {
        var found = [Float](repeating: 0, count: rows * count + 1)
        try found.withUnsafeMutableBytes { try queue.read(part, into: $0) }
        let expected = (0..<rows).flatMap { x[$0 * total + begin..<$0 * total + begin + count] }
        #expect(Array(found.dropLast()) == expected && found[rows * count].isNaN, "\(count) of \(columns)")
        begin += count
      }
    }
    for columns in [[], [1, 0], [1, -1, 3], [1, 1, 1, 1, 1, 1]] {
      #expect(throws: KernelError.self) { try CLSplit(context, elementSize: 4, rows: 2, columns: columns) }
    }
    #expect(throws: KernelError.self) { try CLSplit(context, elementSize: 4, rows: 0, columns: [1]) }
  }

  @Test func gathers() throws {
    let context = try OpenCLHarness.context()
    let (batch, outer, axis, inner, picks) = (2, 3, 5, 4, 3)
    let indices: [Int32] = [4, 0, -1, 2, -5, 1]
    let x = OpenCLHarness.numbers(batch * outer * axis * inner)
    let gather = try CLGather(
      context, elementSize: 4, batch: batch, outer: outer, axis: axis, inner: inner, picks: picks)
    let (a, i) = (try OpenCLHarness.upload(x), try OpenCLHarness.upload(indices))
    let found = try OpenCLHarness.run(batch * outer * picks * inner) {
      try gather.enqueue(on: $0, x: a, indices: i, y: $1)
    }
    let expected = Places.all([batch, outer, picks, inner]).map { place -> Float in
      let index = Int(indices[place[0] * picks + place[2]])
      return x[((place[0] * outer + place[1]) * axis + (index + axis) % axis) * inner + place[3]]
    }
    #expect(found == expected)

    let along = try CLGather(context, elementSize: 4, alongAxis: 5, outer: 2, inner: 3, picks: 2)
    let each: [Int32] = [0, 1, 2, 3, 4, -1, -2, 0, 1, 4, 3, 2]
    let j = try OpenCLHarness.upload(each)
    let picked = try OpenCLHarness.run(12) { try along.enqueue(on: $0, x: a, indices: j, y: $1) }
    let wanted = Places.all([2, 2, 3]).enumerated().map { number, place in
      x[(place[0] * 5 + (Int(each[number]) + 5) % 5) * 3 + place[2]]
    }
    #expect(picked == wanted)

    // The second of two batches of 2 x 3 tables, with int8 indices.
    let table = try CLGather(
      context, elementSize: 4, indices: .init(size: 1), axes: [2, 3], batch: 2, rows: 2, inner: 5)
    let pairs: [Int8] = [1, 2, 0, 0, -1, -3, 1, 1]
    let k = try OpenCLHarness.upload(pairs)
    let rows = try OpenCLHarness.run(20) { try table.enqueue(on: $0, x: a, indices: k, y: $1) }
    #expect(
      rows
        == Places.all([2, 2, 5]).map { place in
          let pair = pairs[(place[0] * 2 + place[1]) * 2..<(place[0] * 2 + place[1]) * 2 + 2].map { Int($0) }
          return x[((place[0] * 2 + (pair[0] + 2) % 2) * 3 + (pair[1] + 3) % 3) * 5 + place[2]]
        })
  }

  @Test func strictIndicesAreNeverNegative() throws {
    let context = try OpenCLHarness.context()
    let strict = CLGather.Indices.self
    let table = try CLGather(
      context, elementSize: 4, indices: strict.init(isStrict: true), axes: [2, 3], batch: 1, rows: 1, inner: 1)
    let queue = try context.makeQueue()
    let (x, y) = (try OpenCLHarness.upload(OpenCLHarness.numbers(6)), try OpenCLHarness.upload([Float(0)]))
    for pair in [[Int32(0), -1], [-1, 0], [2, 0], [0, 3]] {
      try table.enqueue(on: queue, x: x, indices: OpenCLHarness.upload(pair), y: y)
      #expect(throws: KernelError.self, "\(pair)") { try queue.finish() }
    }
    try table.enqueue(on: queue, x: x, indices: OpenCLHarness.upload([Int32(1), 2]), y: y)
    try queue.finish()
    #expect(throws: KernelError.self) { try CLGather.Indices(size: 8) }
    #expect(throws: KernelError.self) { try CLGather.Indices(size: 4, isSigned: false) }
  }

  @Test func anIndexOutsideOfTheAxisIsAnErrorOfTheQueue() throws {
    let context = try OpenCLHarness.context()
    let gather = try CLGather(context, elementSize: 4, outer: 1, axis: 3, inner: 2, picks: 2)
    let queue = try context.makeQueue()
    let x = try OpenCLHarness.upload(OpenCLHarness.numbers(6))
    let y = try OpenCLHarness.upload([Float](repeating: 7, count: 4))
    for index in [Int32(3), -4, .max, .min] {
      try gather.enqueue(on: queue, x: x, indices: OpenCLHarness.upload([0, index]), y: y)
      let error = #expect(throws: KernelError.self) { try queue.finish() }
      #expect(error?.code == .invalidInput)
    }
    try gather.enqueue(on: queue, x: x, indices: OpenCLHarness.upload([Int32(0), 2]), y: y)
    try queue.finish()
  }

  @Test func bordersFromTheInput() throws {
    let context = try OpenCLHarness.context()
    let (shape, before, after) = ([3, 4, 5], [0, 3, 2], [1, 1, 4])
    let x = OpenCLHarness.numbers(60)
    let a = try OpenCLHarness.upload(x)
    for mode in [CLPad.Mode.reflect, .replicate] {
      let pad = try CLPad(context, mode, elementSize: 4, shape: shape, before: before, after: after)
      let found = try OpenCLHarness.run(4 * 8 * 11) { try pad.enqueue(on: $0, x: a, y: $1) }
      let expected = Places.all([4, 8, 11]).map { place -> Float in
        let source = (0..<3).map { axis -> Int in
          let index = place[axis] - before[axis]
          let last = shape[axis] - 1
          return mode == .replicate
            ? min(max(index, 0), last) : index < 0 ? -index : index > last ? 2 * last - index : index
        }
        return x[(source[0] * 4 + source[1]) * 5 + source[2]]
      }
      #expect(found == expected, "\(mode)")
    }
    #expect(throws: KernelError.self) {
      try CLPad(context, .reflect, elementSize: 4, shape: [3], before: [3], after: [0])
    }
  }

  private func expect(
    _ move: CLMove, _ shape: [Int], _ sizes: [Int], _ what: String, _ source: ([Int]) -> Int
  ) throws {
    let x = OpenCLHarness.numbers(shape.reduce(1, *))
    let input = try OpenCLHarness.upload(x)
    let found = try OpenCLHarness.run(sizes.reduce(1, *)) { try move.enqueue(on: $0, x: input, y: $1) }
    OpenCLHarness.expectClose(found, Places.all(sizes).map { x[source($0)] }, tolerance: 0, what)
  }
}

/// Positions in a row-major tensor, in order.
enum Places {
  static func all(_ shape: [Int]) -> [[Int]] {
    (0..<shape.reduce(1, *)).map { element in
      var rest = element
      return shape.reversed().map { size in
        defer { rest /= size }
        return rest % size
      }.reversed()
    }
  }

  static func strides(_ shape: [Int]) -> [Int] {
    shape.indices.map { shape[($0 + 1)...].reduce(1, *) }
  }
}
