extension CLWarpProduct {
  /// The error of products, nil if all results are right. It tests every tile with all storage orders of the factors,
  /// with whole chunks and with partial ones. A compile error counts as an error.
  static func fault(on context: OpenCLContext, _ warps: CLWarps, _ factors: Factors) -> String? {
    do {
      for tile in CLWarpTile.all {
        // The last two are 1 x 1 convolutions: neither factor is transposed, and rows end within a slice.
        for (m, n, k, transposeA, transposeB) in [
          (70, 72, 64, false, true), (69, 71, 37, false, true), (72, 80, 40, true, false), (66, 67, 35, true, false),
          (96, 136, 24, false, false), (35, 66, 27, false, false),
        ] {
          let shape = CLMatrixProduct.Shape(m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB)
          let product = try CLWarpProduct(context, warps, shape, of: factors, tile: tile)
          let fault = try ProductCheck.fault(shape, factors, on: context) {
            try product.enqueue(on: $0, a: $1, b: $2, c: $3)
          }
          if let fault { return "\(fault) by \(tile)" }
        }
      }
      return nil
    } catch { return "\(error)" }
  }

  /// The same for warp groups: several slices and less than one, partial tiles, a batch.
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
          // Each variant is compiled separately, which takes time. The storage order of the factors does not depend on
          // the tile, so two tiles suffice for it.
          guard CLGroupTile.refusal(of: shape, factors) == nil, tile.takes(shape),
            transposeB && !transposeA || number == 1 || number == 3
          else { continue }
          let product = try CLWarpProduct(context, warps, shape, of: factors, group: tile)
          let fault = try ProductCheck.fault(shape, factors, on: context) {
            try product.enqueue(on: $0, a: $1, b: $2, c: $3)
          }
          if let fault { return "\(fault) by \(tile)" }
        }
      }
      return nil
    } catch { return "\(error)" }
  }
}
