/// Test products of small integers, whose factors and accumulators are exact.
enum ProductCheck {
  /// The error of a product, nil if its result is right. `run` enqueues it with the memory of the first factor, the
  /// second factor and the result.
  static func fault(
    _ shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors, on context: OpenCLContext,
    _ run: (OpenCLQueue, OpenCLMemory, OpenCLMemory, OpenCLMemory) throws -> Void
  ) throws -> String? {
    let (m, n, k, batches) = (shape.m, shape.n, shape.k, shape.batches)
    let a = (0..<batches * m * k).map { Float($0 * 7 % 13 - 6) }
    let b = (0..<batches * k * n).map { Float($0 * 5 % 11 - 5) }
    let queue = try context.makeQueue()
    let memory = try [a, b].map { numbers in
      factors == .floats
        ? try context.makeBuffer(copying: numbers).memory
        : try context.makeBuffer(copying: numbers.map { Float16($0) }).memory
    }
    let c = try context.makeBuffer(copying: [Float](repeating: .nan, count: batches * m * n)).memory
    try run(queue, memory[0], memory[1], c)
    try queue.finish()
    var found = [Float](repeating: 0, count: batches * m * n)
    try found.withUnsafeMutableBytes { try queue.read(c, into: $0) }
    for place in found.indices {
      let (number, i, j) = (place / (m * n), place / n % m, place % n)
      var sum: Float = 0
      for term in 0..<k {
        let left: Int = shape.transposeA ? term * m + i : i * k + term
        let right: Int = shape.transposeB ? j * k + term : term * n + j
        sum += a[number * m * k + left] * b[number * k * n + right]
      }
      guard found[place] == sum else {
        return "\(found[place]) in row \(i), column \(j) of \(m) x \(n) x \(k), not \(sum)"
      }
    }
    return nil
  }
}
