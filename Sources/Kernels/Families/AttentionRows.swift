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

/// The same over packed operands: keys and values of an item are packed once for all tiles of query rows that a thread takes.
struct PackedAttention: Sendable {
  private let site: AttentionSite
  private let tiles: Pieces
  /// Tiles of one item that a thread takes together.
  private let shares: Pieces
  /// Floats of a thread's scratch: packed keys, packed values, a tile's scores, packed rows (queries, then scores), a mask row.
  private let parts: [Int]

  init(_ site: AttentionSite) throws {
    self.site = site
    guard site.length >= 256 else { throw Refusal("too few queries to pack keys and values for") }
    let tall = ck_gemm_tile_rows()
    // About 2^16 scores a tile, which with a panel of values stay in the second-level cache.
    tiles = Pieces(site.length, of: min(max((1 << 16) / site.sources / tall, 1), 10) * tall)
    shares = Pieces(tiles.count, about: site.batch >= 2 * site.threads ? 1 : 2 * site.threads)
    let deepest = max(site.depth, site.sources)
    parts = [
      ck_gemm_packed_b_size(site.sources, site.depth), ck_gemm_packed_b_size(site.width, site.sources),
      tiles.size * site.sources, ck_gemm_packed_a_size(tiles.size, deepest), site.sources,
    ].map { ($0 + 15) / 16 * 16 }
    guard parts.reduce(0, +) <= Self.mostFloats else {
      throw Refusal("packed keys, values and scores take more than \(Self.mostFloats >> 18) megabytes a thread")
    }
  }

  /// Floats of a thread's scratch at most: beyond, packing costs more memory than it saves time.
  private static let mostFloats = 16 << 20

  var offer: Offer {
    let floats = parts.reduce(0, +)
    let softmax = Double(site.depth + site.width) / Double(site.depth + site.width + 24)
    let efficiency = 0.75 * softmax
    let (keys, values, scores, rows) = (parts[0], parts[1], parts[2], parts[3])
    return .cpu(efficiency: efficiency, scratchBytes: floats * 4 * site.threads) { frame in
      frame.pool.run(site.batch * shares.count, workers: site.threads) { items, worker in
        let base = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
        for index in items {
          run(
            frame, index / shares.count, shares[index % shares.count], keys: base, values: base + keys,
            scores: base + keys + values, rows: base + keys + values + scores,
            line: base + keys + values + scores + rows)
        }
      }
    }
  }

  private func run(
    _ frame: CPUFrame, _ item: Int, _ share: Range<Int>, keys: UnsafeMutablePointer<Float>,
    values: UnsafeMutablePointer<Float>, scores: UnsafeMutablePointer<Float>, rows: UnsafeMutablePointer<Float>,
    line: UnsafeMutablePointer<Float>
  ) {
    let (sources, depth, width) = (site.sources, site.depth, site.width)
    let wide = ck_gemm_panel_columns()
    let (across, out) = ((sources + wide - 1) / wide, (width + wide - 1) / wide)
    var plain = ck_epilogue(bias: nil, activation: CK_UNARY_IDENTITY, alpha: 0, beta: 0)
    ck_gemm_pack_b_f32(depth, sources, site.key(frame, item), 1, depth, 0, across, keys)
    ck_gemm_pack_b_f32(sources, width, site.value(frame, item), width, 1, 0, out, values)
    for tile in share {
      let range = tiles[tile]
      let down = (range.count + ck_gemm_tile_rows() - 1) / ck_gemm_tile_rows()
      ck_gemm_pack_a_f32(range.count, depth, site.query(frame, item, row: range.lowerBound), depth, 1, rows)
      ck_gemm_packed_f32(
        range.count, sources, depth, rows, keys, CK_BIAS_ROWS, &plain, scores, sources, 0, down, 0, across)
      site.softmax(frame, item, range, scores, line)
      ck_gemm_pack_a_f32(range.count, sources, scores, sources, 1, rows)
      ck_gemm_packed_f32(
        range.count, width, sources, rows, values, CK_BIAS_ROWS, &plain,
        site.output(frame, item, row: range.lowerBound),
        width, 0, down, 0, out)
    }
  }
}
