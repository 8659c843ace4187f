import CKernels
import MIL

extension KernelTable {
  static let attentionRows: [Row] = [
    Row("attention.tiled", for: "scaled_dot_product_attention") { try TiledAttention($0).offer }
  ]
}

/// Attention in tiles of query rows: a tile's scores, their softmax, their product with the values. Only a tile of scores
/// exists at a time, one a thread.
struct TiledAttention: Sendable {
  private let slots: (query: Int, key: Int, value: Int, mask: Int?)
  private let batch: Int
  private let length: Int
  private let sources: Int
  private let depth: Int
  private let width: Int
  private let threads: Int
  /// Where each batch item's mask begins, and how far its rows and columns are apart.
  private let masks: [Int]
  private let maskRow: Int
  private let maskColumn: Int
  private let isBool: Bool

  init(_ site: Site) throws {
    try site.requireScalar(.float32, of: ["query", "key", "value"])
    let query = try site.sizes("query")
    let rank = query.count
    (length, depth) = (query[rank - 2], query[rank - 1])
    sources = try site.sizes("key")[rank - 2]
    width = try site.sizes("value")[rank - 1]
    let lead = Array(query[..<(rank - 2)])
    batch = lead.reduce(1, *)
    threads = max(site.threads, 1)
    guard batch >= 1, batch <= BatchedProduct.placeLimit else { throw Refusal("the batch is empty or too large") }
    try Refusal.unlessProduct(length, depth, sources, width)
    guard sources <= 1 << 24 else { throw Refusal("a row of scores takes more than 64 megabytes") }
    slots = (try site.slot("query"), try site.slot("key"), try site.slot("value"), site.optionalSlot("attn_mask"))
    guard slots.mask != nil else {
      (masks, maskRow, maskColumn, isBool) = ([], 0, 0, false)
      return
    }
    let scalar = try site.scalar("attn_mask")
    guard scalar == .bool || scalar == .float32 else { throw Refusal("'attn_mask' is \(scalar.rawValue)") }
    isBool = scalar == .bool
    let places = Broadcast(from: try site.sizes("attn_mask"), to: lead + [length, sources])
    masks = Indices(lead).map { places.offset($0 + [0, 0]) }
    (maskRow, maskColumn) = (places.strides[rank - 2], places.strides[rank - 1])
  }

  var offer: Offer {
    // Tiles of about a quarter of a million scores, at least 16 rows, at most 128.
    let tiles = Pieces(length, of: min(max((1 << 18) / sources, 16), 128))
    let floats = (tiles.size * sources + sources + 15) / 16 * 16
    let efficiency = 0.8 * BLAS.efficiency(m: tiles.size, n: sources, k: depth)
    return .cpu(efficiency: efficiency, scratchBytes: floats * 4 * threads) { frame in
      masks.withUnsafeBufferPointer { masks in
        frame.pool.run(batch * tiles.count, workers: threads) { items, worker in
          let scores = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
          for item in items {
            let image = item / tiles.count
            run(frame, image, tiles[item % tiles.count], scores, mask: slots.mask == nil ? 0 : masks[image])
          }
        }
      }
    }
  }

  private func run(_ frame: CPUFrame, _ item: Int, _ rows: Range<Int>, _ scores: UnsafeMutablePointer<Float>, mask: Int)
  {
    let query = frame.input(slots.query, as: Float.self) + (item * length + rows.lowerBound) * depth
    let key = frame.input(slots.key, as: Float.self) + item * sources * depth
    let value = frame.input(slots.value, as: Float.self) + item * sources * width
    let output = frame.output(0, as: Float.self) + (item * length + rows.lowerBound) * width
    BLAS.multiply(
      query, lda: depth, key, ldb: depth, transB: true, scores, ldc: sources, m: rows.count, n: sources, k: depth)
    let scale = 1 / Float(depth).squareRoot()
    if let slot = slots.mask {
      let scratch = scores + rows.count * sources
      for (index, row) in rows.enumerated() {
        let line = maskLine(frame, slot, mask + row * maskRow, scratch)
        ck_softmax_scaled_f32(scores + index * sources, scale, line, scores + index * sources, 1, sources)
      }
    } else {
      ck_softmax_scaled_f32(scores, scale, nil, scores, rows.count, sources)
    }
    BLAS.multiply(scores, lda: sources, value, ldb: width, output, ldc: width, m: rows.count, n: width, k: sources)
  }

  /// One row of the mask as what is added to the scores; made in `scratch` unless it lies so in memory.
  private func maskLine(
    _ frame: CPUFrame, _ slot: Int, _ offset: Int, _ scratch: UnsafeMutablePointer<Float>
  ) -> UnsafePointer<Float> {
    if isBool {
      let source = frame.input(slot, as: UInt8.self) + offset
      for column in 0..<sources { scratch[column] = source[column * maskColumn] != 0 ? 0 : -.infinity }
    } else {
      let source = frame.input(slot, as: Float.self) + offset
      if maskColumn == 1 { return source }
      for column in 0..<sources { scratch[column] = source[column * maskColumn] }
    }
    return UnsafePointer(scratch)
  }
}
