extension CLWarpProduct {
  /// What is wrong with products, nil where all come out right: of every tile, with both factors as they may be stored, whole chunks and ragged ends. What does not even
  /// compile is not.
  static func fault(on context: OpenCLContext, _ warps: CLWarps, _ factors: Factors) -> String? {
    do {
      for tile in CLWarpTile.all {
        // The last two are convolutions of single pixels: both factors as they stand, with rows that end within a slice.
        for (m, n, k, transposeA, transposeB) in [
          (70, 72, 64, false, true), (69, 71, 37, false, true), (72, 80, 40, true, false), (66, 67, 35, true, false),
          (96, 136, 24, false, false), (35, 66, 27, false, false),
        ] {
          let shape = CLMatrixProduct.Shape(m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB)
          let product = try CLWarpProduct(context, warps, shape, of: factors, tile: tile)
          if let fault = try product.fault(shape, factors, on: context) { return "\(fault) by \(tile)" }
        }
      }
      return nil
    } catch { return "\(error)" }
  }

  /// The same of warp groups: several slices and less than one, tiles that are not full, a batch.
  static func groupFault(on context: OpenCLContext, _ warps: CLWarps, _ factors: Factors) -> String? {
    do {
      for (number, tile) in CLGroupTile.all.enumerated() where tile.runs(by: warps, on: context.device) {
        for (m, n, k, transposeA, transposeB, batches) in [
          (tile.m + 7, tile.n + 5, 584, false, true, 1), (33, 43, 24, false, true, 3),
          (tile.m + 8, tile.n + 24, 136, false, false, 1), (tile.m - 24, 72, 152, true, false, 2),
          (72, tile.n - 8, 40, true, true, 1),
        ] {
          let batch = CLMatrixProduct.Batch(
            sizes: batches == 1 ? [] : [batches], a: batches == 1 ? [] : [m * k], b: batches == 1 ? [] : [n * k])
          let shape = CLMatrixProduct.Shape(
            m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB, batch: batch)
          // Each form is compiled by itself, which takes a while: how factors lie is nothing of a tile's own.
          guard CLGroupTile.refusal(of: shape, factors) == nil, tile.takes(shape),
            transposeB && !transposeA || number == 1 || number == 3
          else { continue }
          let product = try CLWarpProduct(context, warps, shape, of: factors, group: tile)
          if let fault = try product.fault(shape, factors, on: context) { return "\(fault) by \(tile)" }
        }
      }
      return nil
    } catch { return "\(error)" }
  }

  /// What is wrong with this product; nil where it comes out right.
  private func fault(
    _ shape: CLMatrixProduct.Shape, _ factors: Factors, on context: OpenCLContext
  ) throws -> String? {
    let (m, n, k, batches) = (shape.m, shape.n, shape.k, shape.batches)
    // Small whole numbers: factors and sums are exact.
    let a = (0..<batches * m * k).map { Float($0 * 7 % 13 - 6) }
    let b = (0..<batches * k * n).map { Float($0 * 5 % 11 - 5) }
    let queue = try context.makeQueue()
    let memory = try [a, b].map { numbers in
      factors == .floats
        ? try context.makeBuffer(copying: numbers).memory
        : try context.makeBuffer(copying: numbers.map { Float16($0) }).memory
    }
    let c = try context.makeBuffer(copying: [Float](repeating: .nan, count: batches * m * n)).memory
    try enqueue(on: queue, a: memory[0], b: memory[1], c: c)
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
