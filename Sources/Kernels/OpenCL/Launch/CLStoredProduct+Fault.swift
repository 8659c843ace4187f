extension CLStoredProduct {
  /// What is wrong with products of a few rows by warps, nil where all come out right: of blocks by one and by several, with depths of less than a
  /// group takes at once and more. What does not even compile is not.
  static func fault(on context: OpenCLContext, _ warps: CLWarps) -> String? {
    do {
      for (m, n, k) in [(16, 21, 1032), (9, 64, 40), (5, 16 * context.device.computeUnits * 4 + 9, 72)] {
        if let fault = try fault(m, n, k, on: context, warps) { return fault }
      }
      return nil
    } catch { return "\(error)" }
  }

  private static func fault(
    _ m: Int, _ n: Int, _ k: Int, on context: OpenCLContext, _ warps: CLWarps
  ) throws -> String? {
    // Small whole numbers: factors and sums are exact.
    let a = (0..<m * k).map { Float16($0 * 7 % 13 - 6) }
    let b = (0..<n * k).map { Float16($0 * 5 % 11 - 5) }
    let queue = try context.makeQueue()
    let weights = Matrix(halves: try context.makeBuffer(copying: b).memory)
    let product = try CLStoredProduct(context, weights, m: m, n: n, k: k, halves: .first, by: warps)
    let c = try context.makeBuffer(copying: [Float](repeating: .nan, count: m * n)).memory
    try product.enqueue(on: queue, a: try context.makeBuffer(copying: a).memory, c: c)
    try queue.finish()
    var found = [Float](repeating: 0, count: m * n)
    try found.withUnsafeMutableBytes { try queue.read(c, into: $0) }
    for row in 0..<m {
      for column in 0..<n {
        var sum: Float = 0
        for term in 0..<k { sum += Float(a[row * k + term]) * Float(b[column * k + term]) }
        guard found[row * n + column] == sum else {
          return "\(found[row * n + column]) in row \(row), column \(column) of \(m) x \(n) x \(k), not \(sum)"
        }
      }
    }
    return nil
  }
}
