import CKernels
import MIL

enum AttentionKernels {
  private static let attentions = ["scaled_dot_product_attention", AttentionShape.operationName]

  static let all: [KernelImplementation] = [
    KernelImplementation("attention.packed", for: attentions) { try PackedAttention(AttentionOperands($0)).candidate },
    KernelImplementation("attention.packed.bf16", for: attentions) { problem in
      let operands = try AttentionOperands(problem)
      try PackedType.requireBF16Dot(problem, depth: min(operands.form.depth, operands.sources))
      return try PackedAttention(operands, as: .bf16).candidate
    },
    KernelImplementation("attention.queries", for: attentions) { try QueryAttention(AttentionOperands($0)).candidate },
    KernelImplementation("attention.tiled", for: "scaled_dot_product_attention") {
      try TiledAttention(problem: AttentionProblem($0)).candidate
    },
  ]
}

/// Attention in tiles of query rows: a tile's scores, their softmax, and their product with the values. Only one tile
/// of scores for each thread is in memory at a time.
struct TiledAttention: Sendable {
  let problem: AttentionProblem

  var candidate: Candidate {
    let (length, sources, depth, width) = (problem.length, problem.sources, problem.depth, problem.width)
    // Tiles of about 2^18 scores with 16 to 128 rows. Fewer rows if 16 rows would take more than 16 MiB.
    let least = min(max((1 << 22) / sources, 1), 16)
    let tiles = Chunks(length, of: min(max((1 << 18) / sources, least), 128))
    let floats = (tiles.size * sources + sources + 15) / 16 * 16
    let efficiency = 0.8 * BLAS.efficiency(m: tiles.size, n: sources, k: depth)
    return .cpu(efficiency: efficiency, scratchBytes: floats * 4 * problem.threads) { frame in
      frame.pool.run(problem.batch * tiles.count, workers: problem.threads) { items, worker in
        let scores = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
        for index in items {
          let (item, rows) = (index / tiles.count, tiles[index % tiles.count])
          BLAS.multiply(
            problem.query(frame, item, row: rows.lowerBound), lda: depth, problem.key(frame, item), ldb: depth,
            transB: true,
            scores, ldc: sources, m: rows.count, n: sources, k: depth)
          problem.softmax(frame, item, rows, scores, scores + rows.count * sources)
          BLAS.multiply(
            scores, lda: sources, problem.value(frame, item), ldb: width,
            problem.output(frame, item, row: rows.lowerBound),
            ldc: width, m: rows.count, n: width, k: sources)
        }
      }
    }
  }
}

/// Attention query by query, with keys and values read in place. With a few queries, as in a decoder step, packing
/// would take most of the time.
struct QueryAttention: Sendable {
  private let operands: AttentionOperands
  /// Sizes of a thread's scratch memory in fp32 elements: scores and accumulators, part descriptions, one row of each
  /// mask.
  private let parts: [Int]

  init(_ operands: AttentionOperands) {
    self.operands = operands
    var head = operands.head(queries: 1)
    parts = [ck_attention_few_scratch_size(&head), AttentionOperands.partFloats, operands.maskFloats(rows: 1)]
      .map { ($0 + 15) / 16 * 16 }
  }

  var candidate: Candidate {
    let floats = parts.reduce(0, +)
    let form = operands.form
    return .cpu(efficiency: 0.12, scratchBytes: floats * 4 * operands.threads) { frame in
      frame.pool.run(form.items * form.length, workers: operands.threads) { items, worker in
        let base = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
        var head = operands.head(queries: 1)
        for index in items {
          let (item, row) = (index / form.length, index % form.length)
          ck_attention_few_f32(
            &head, operands.query(frame, item, row: row), operands.parts(frame, item, base + parts[0]),
            form.parts.count,
            operands.masks(frame, item, row..<(row + 1), base + parts[0] + parts[1]), form.masks.count, 0,
            operands.output(frame, item, row: row), base)
        }
      }
    }
  }
}
