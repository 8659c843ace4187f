/// How a matrix product is cut into tiles for the threads of a pool.
enum ProductTiles {
  /// Tiles of the results of `products` equal products of `rows` by `columns`. There are enough for every thread. Each
  /// is wide enough to amortize packing its operands. Its result stays in L2 until it is complete.
  static func choose(rows: Int, columns: Int, products: Int, threads: Int) -> (rows: Chunks, columns: Chunks) {
    let widest = max(256, (1 << 18) / max(rows, 1))
    var wanted = (columns + widest - 1) / widest
    if threads > 1 { wanted = max(wanted, min((3 * threads + products - 1) / products, (columns + 127) / 128)) }
    let across = Chunks(columns, about: wanted, multiple: 16)
    let missing = threads == 1 ? 1 : (2 * threads + products * across.count - 1) / (products * across.count)
    return (Chunks(rows, about: min(missing, (rows + 31) / 32), multiple: 16), across)
  }
}

/// Copies of tiles.
enum Tile {
  /// Copies a tile of the residual input to the output, where the product adds to it. Both have the same layout.
  static func load(
    _ source: UnsafePointer<Float>?, _ offset: Int, _ output: UnsafeMutablePointer<Float>, rows: Int, columns: Int,
    stride: Int
  ) {
    guard let source else { return }
    for row in 0..<rows {
      (output + offset + row * stride).update(from: source + offset + row * stride, count: columns)
    }
  }
}
