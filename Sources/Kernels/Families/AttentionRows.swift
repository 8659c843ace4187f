import CKernels
import MIL

extension KernelTable {
  static let attentionRows: [Row] = [
    Row("attention.packed", for: "scaled_dot_product_attention") { try PackedAttention(AttentionSite($0)).offer },
    Row("attention.tiled", for: "scaled_dot_product_attention") { try TiledAttention(site: AttentionSite($0)).offer },
  ]
}

/// Attention in tiles of query rows: a tile's scores, their softmax, their product with the values. Only a tile of scores
/// exists at a time, one a thread.
struct TiledAttention: Sendable {
  let site: AttentionSite

  var offer: Offer {
    let (length, sources, depth, width) = (site.length, site.sources, site.depth, site.width)
    // Tiles of about a quarter of a million scores, at least 16 rows, at most 128; fewer rows where 16 would be more than 16 megabytes.
    let least = min(max((1 << 22) / sources, 1), 16)
    let tiles = Pieces(length, of: min(max((1 << 18) / sources, least), 128))
    let floats = (tiles.size * sources + sources + 15) / 16 * 16
    let efficiency = 0.8 * BLAS.efficiency(m: tiles.size, n: sources, k: depth)
    return .cpu(efficiency: efficiency, scratchBytes: floats * 4 * site.threads) { frame in
      frame.pool.run(site.batch * tiles.count, workers: site.threads) { items, worker in
        let scores = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
        for index in items {
          let (item, rows) = (index / tiles.count, tiles[index % tiles.count])
          BLAS.multiply(
            site.query(frame, item, row: rows.lowerBound), lda: depth, site.key(frame, item), ldb: depth, transB: true,
            scores, ldc: sources, m: rows.count, n: sources, k: depth)
          site.softmax(frame, item, rows, scores, scores + rows.count * sources)
          BLAS.multiply(
            scores, lda: sources, site.value(frame, item), ldb: width, site.output(frame, item, row: rows.lowerBound),
            ldc: width, m: rows.count, n: width, k: sources)
        }
      }
    }
  }
}

/// The same over packed operands: keys and values of an item are packed once for all queries that a thread takes of it.
struct PackedAttention: Sendable {
  private let site: AttentionSite
  private let head: ck_attention
  /// Queries that a thread takes together.
  private let shares: Pieces
  /// Queries whose mask is laid out together, where it does not lie as numbers in rows.
  private let maskRows: Int
  /// Floats of a thread's scratch: packed keys and values, what is between, mask rows.
  private let parts: [Int]

  /// Floats of packed keys, values and scores at most: beyond, packing costs more memory than it saves time.
  private static let mostFloats = 16 << 20

  init(_ site: AttentionSite) throws {
    self.site = site
    guard site.length >= 4 else { throw Refusal("too few queries to pack keys and values for") }
    var head = ck_attention(
      queries: site.length, keys: site.sources, depth: site.depth, width: site.width, query_row: site.depth,
      key_row: site.depth, value_row: site.width, out_row: site.width, scale: 1 / Float(site.depth).squareRoot(),
      mask_row: site.maskStride ?? site.sources, causal: false, causal_offset: 0)
    shares = Pieces(site.length, about: site.batch >= 2 * site.threads ? 1 : 2 * site.threads)
    maskRows = min(max((1 << 16) / site.sources, 14), shares.size)
    parts = [
      ck_attention_packed_size(&head), ck_attention_scratch_size(&head),
      site.needsMaskRows ? maskRows * site.sources : 0,
    ].map { ($0 + 15) / 16 * 16 }
    self.head = head
    guard parts.reduce(0, +) <= Self.mostFloats else {
      throw Refusal("packed keys, values and scores take more than \(Self.mostFloats >> 18) megabytes a thread")
    }
  }

  var offer: Offer {
    let floats = parts.reduce(0, +)
    let softmax = Double(site.depth + site.width) / Double(site.depth + site.width + 40)
    let packing = Double(site.length) / Double(site.length + 8)
    return .cpu(efficiency: 0.9 * softmax * packing, scratchBytes: floats * 4 * site.threads) { frame in
      frame.pool.run(site.batch * shares.count, workers: site.threads) { items, worker in
        let base = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
        for index in items { run(frame, index / shares.count, shares[index % shares.count], base) }
      }
    }
  }

  private func run(_ frame: CPUFrame, _ item: Int, _ share: Range<Int>, _ packed: UnsafeMutablePointer<Float>) {
    let (scratch, lines) = (packed + parts[0], packed + parts[0] + parts[1])
    var head = head
    ck_attention_pack_f32(&head, site.key(frame, item), site.value(frame, item), packed)
    let step = site.needsMaskRows ? maskRows : share.count
    for first in stride(from: share.lowerBound, to: share.upperBound, by: step) {
      let rows = first..<min(first + step, share.upperBound)
      head.queries = rows.count
      ck_attention_f32(
        &head, site.query(frame, item, row: first), packed, site.mask(frame, item, rows, lines),
        site.output(frame, item, row: first), scratch, 0, rows.count)
    }
  }
}
