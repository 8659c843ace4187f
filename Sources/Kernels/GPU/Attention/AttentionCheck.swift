import MIL

/// A test problem: attention of two items with known results.
struct AttentionCheck {
  let form: AttentionShape
  let query: [Float]
  let key: [Float]
  let value: [Float]
  let mask: [UInt8]
  let expected: [Float]

  /// The error of an attention. Nil if its result is right.
  func fault(
    of attention: CLAttention, _ numbers: CLWarpProduct.Factors = .f16, on context: OpenCLContext
  ) throws -> String? {
    let queue = try context.makeQueue()
    let memory = try [query, key, value].map { operand in
      numbers == .floats
        ? try context.makeBuffer(copying: operand).memory
        : try context.makeBuffer(copying: operand.map { Float16($0) }).memory
    }
    let masks = try context.makeBuffer(copying: mask).memory
    let y = try context.makeBuffer(copying: [Float](repeating: .nan, count: expected.count)).memory
    try attention.enqueue(on: queue, query: memory[0], key: memory[1], value: memory[2], first: masks, y: y)
    try queue.finish()
    var found = [Float](repeating: 0, count: expected.count)
    try found.withUnsafeMutableBytes { try queue.read(y, into: $0) }
    return found.indices.first { !isRight(found[$0], at: $0) }.map { "\(found[$0]) at \($0), not \(expected[$0])," }
  }

  /// Whether a result is within two ULP of the expected one.
  func isRight(_ found: Float, at place: Int) -> Bool { abs(found - expected[place]) <= 2 * expected[place].ulp }

  /// Scores are multiples of `scale`. It must be large enough that the softmax weight of any lower score underflows to
  /// zero.
  init(length: Int, sources: Int, depth: Int, width: Int, isTransposed: Bool, scale: Float = 64) {
    func view(_ rows: Int, _ columns: Int) -> StridedMatrices {
      StridedMatrices(
        rowStep: isTransposed ? 1 : columns, columnStep: isTransposed ? rows : 1,
        batch: [StridedMatrices.Axis(2, rows * columns)])
    }
    func numbers(_ rows: Int, _ columns: Int, _ seed: Int) -> [Float] {
      (0..<2 * rows * columns).map { Float(($0 * 37 + $0 / 11 * 5 + seed) % 7 - 3) }
    }
    let (queries, keys, values) = (view(length, depth), view(sources, depth), view(sources, width))
    let query = numbers(length, depth, 1)
    let key = numbers(sources, depth, 2)
    let value = numbers(sources, width, 3)
    // Masks every third key. The masked keys differ between adjacent queries.
    let mask = (0..<length * sources).map { ($0 / sources + $0 % sources) % 3 == 0 ? UInt8(0) : 1 }
    (self.query, self.key, self.value, self.mask) = (query, key, value, mask)
    form = AttentionShape(
      items: 2, length: length, depth: depth, width: width, scale: scale, query: queries,
      parts: [AttentionShape.Part(rows: sources, key: keys, value: values)],
      masks: [
        AttentionShape.Mask(
          .keep, fill: -.infinity,
          view: StridedMatrices(rowStep: sources, columnStep: 1, batch: [StridedMatrices.Axis(2, 0)]))
      ],
      output: StridedMatrices(rowStep: width, columnStep: 1, batch: [StridedMatrices.Axis(2, length * width)]),
      outputShape: [2, length, width])
    var results: [Float] = []
    for item in 0..<2 {
      func at(_ numbers: [Float], _ view: StridedMatrices, _ row: Int, _ column: Int) -> Float {
        numbers[item * view.batch[0].step + row * view.rowStep + column * view.columnStep]
      }
      for row in 0..<length {
        let scores = (0..<sources).map { source -> Float in
          guard mask[row * sources + source] != 0 else { return -.infinity }
          return (0..<depth).reduce(0) { $0 + at(query, queries, row, $1) * at(key, keys, source, $1) }
        }
        let best = scores.max() ?? 0
        let chosen = (0..<sources).filter { scores[$0] == best }
        for column in 0..<width {
          results.append(chosen.reduce(0) { $0 + at(value, values, $1, column) } / Float(chosen.count))
        }
      }
    }
    expected = results
  }
}
