import CKernels
import MIL

/// An fp32 recurrent operation, as its kernels see it.
///
/// The input part of all gates is one product over all steps. Each step then adds the recurrent part, which is bound by
/// reading the recurrent weights.
struct RecurrentProblem: Sendable {
  let steps: Int
  let batch: Int
  let inputs: Int
  let hidden: Int
  let gates: Int
  let isReverse: Bool
  let keepsAll: Bool
  let passes: Int
  let threads: Int
  private let x: Int
  private let across: Chunks
  /// fp32 elements of each thread's tile of widened weights. The tiles come first in the scratch memory.
  private let tileFloats: Int

  init(_ problem: KernelProblem, gates: Int) throws {
    for operand in problem.operands where operand.type.scalar.isFloat && operand.type.rank > 0 {
      try problem.requireScalar(.float32, of: [operand.parameter])
    }
    let sizes = try problem.sizes("x")
    (steps, batch, inputs) = (sizes[0], sizes[1], sizes[2])
    hidden = try problem.sizes("weight_hh")[1]
    self.gates = gates
    let direction = try Recurrent.direction(problem.invocation)
    isReverse = direction == .reverse
    passes = direction == .bidirectional ? 2 : 1
    keepsAll = try problem.invocation.bool("output_sequence", default: false)
    threads = max(problem.threads, 1)
    x = try problem.slot("x")
    try Refusal.unlessProduct(steps * batch, inputs, hidden, gates * hidden)
    let (floats, overflow) = (steps * batch + batch).multipliedReportingOverflow(by: gates * hidden)
    guard !overflow, floats <= 1 << 30 else { throw Refusal("the gates of all steps take more than four gigabytes") }
    across = Chunks(gates * hidden, about: threads == 1 ? 1 : 2 * threads, multiple: 16)
    tileFloats =
      steps * batch > Self.fewRows ? RecurrentMatrix.tileFloats(rows: across.size, width: inputs) : 0
  }

  /// With more rows than this, packing the operands of a product pays.
  private static let fewRows = 8

  /// A matrix of the recurrent part. Large batches need it as fp32 in every step.
  func recurrent(_ problem: KernelProblem, _ name: String) throws -> RecurrentMatrix {
    try RecurrentMatrix(problem, name, readsF16: batch < Self.fewRows)
  }

  /// A candidate whose kernel needs `floats` elements of scratch memory. `run` gets it with the prepared matrices.
  func candidate(
    floats: Int, _ matrices: [RecurrentMatrix],
    _ run:
      @escaping @Sendable (
        _ frame: CPUFrame, _ matrices: [RecurrentMatrix], _ scratch: UnsafeMutablePointer<Float>
      ) -> Void
  ) -> Candidate {
    let isTiled = matrices.contains { $0.isStored }
    let first = isTiled ? tileFloats * threads : 0
    return Candidate(
      efficiency: efficiency, scratchBytes: (first + floats) * 4,
      packed: Set(matrices.filter(\.isStored).map(\.slot))
    ) { preparation in
      let ready = try matrices.map { try $0.prepared(preparation) }
      return .cpu { run($0, ready, $0.scratch.assumingMemoryBound(to: Float.self) + first) }
    }
  }

  /// fp32 elements of the gates of one step of the whole batch.
  var gateFloats: Int { batch * gates * hidden }
  var stateFloats: Int { batch * hidden }

  var efficiency: Double { 0.3 + 0.3 * Double(min(batch, 16)) / 16 }

  /// gates[step, item] = W_ih x + bias for every step.
  func project(
    _ frame: CPUFrame, _ weights: RecurrentMatrix, bias: UnsafePointer<Float>?,
    to gatesOut: UnsafeMutablePointer<Float>
  ) {
    let input: UnsafePointer<Float> = frame.input(x)
    let (rows, columns) = (steps * batch, gates * hidden)
    frame.pool.run(across.count, workers: threads) { items, worker in
      for item in items {
        let range = across[item]
        let first = range.lowerBound
        if rows <= Self.fewRows {
          weights.multiply(
            frame, first, range.count, width: inputs, input, bias.advanced(first), gatesOut + first, ld: columns,
            rows: rows)
          continue
        }
        if let bias {
          for row in 0..<rows { (gatesOut + row * columns + first).update(from: bias + first, count: range.count) }
        }
        weights.multiplyMany(
          frame, first, range.count, width: inputs, input, gatesOut + first, ld: columns, rows: rows,
          beta: bias == nil ? 0 : 1,
          tile: frame.scratch.assumingMemoryBound(to: Float.self) + worker * tileFloats)
      }
    }
  }

  /// out[item, j] = base[item, j] + sum over h of weights[start + j, h] state[item, h] for `count` rows of the
  /// recurrent weights; rows of `base` and `out` are `ld` apart.
  func recur(
    _ frame: CPUFrame, _ weights: RecurrentMatrix, from start: Int = 0, count: Int, state: UnsafePointer<Float>,
    base: UnsafePointer<Float>?, out: UnsafeMutablePointer<Float>, ld: Int
  ) {
    let pieces = Chunks(
      count, about: RowProduct.pieces(columns: count, depth: hidden, threads: threads), multiple: 16)
    frame.pool.run(pieces.count) { items in
      for item in items {
        let range = pieces[item]
        let first = range.lowerBound
        if batch < Self.fewRows {
          for row in 0..<batch {
            weights.multiply(
              frame, start + first, range.count, width: hidden, state + row * hidden,
              base.advanced(row * ld + first), out + row * ld + first, ld: ld, rows: 1)
          }
          continue
        }
        if let base {
          for row in 0..<batch {
            (out + row * ld + first).update(from: base + row * ld + first, count: range.count)
          }
        }
        let floats: UnsafePointer<Float> = frame.input(weights.slot)
        BLAS.multiply(
          state, lda: hidden, floats + (start + first) * hidden, ldb: hidden, transB: true, out + first, ldc: ld,
          m: batch, n: range.count, k: hidden, beta: base == nil ? 0 : 1)
      }
    }
  }

  /// Writes the states of a step to the sequence and, after the last step, to the final state. The passes are adjacent.
  func store(_ frame: CPUFrame, step: Int, pass: Int, _ state: UnsafePointer<Float>, ld: Int? = nil) {
    let width = passes * hidden
    if keepsAll || step == steps - 1 {
      // The backward pass of a bidirectional layer writes to the steps that it has read.
      let at = keepsAll ? (pass == 1 ? steps - 1 - step : step) : 0
      copy(state, ld: ld, to: frame.output(0, as: Float.self) + at * batch * width + pass * hidden, width)
    }
    if step == steps - 1 { copy(state, ld: ld, to: frame.output(1, as: Float.self) + pass * hidden, width) }
  }

  /// Copies [batch, hidden] with rows `ld` apart to rows `width` apart.
  func copy(_ state: UnsafePointer<Float>, ld: Int? = nil, to target: UnsafeMutablePointer<Float>, _ width: Int) {
    for row in 0..<batch { (target + row * width).update(from: state + row * (ld ?? hidden), count: hidden) }
  }

  /// The sequence, [steps, batch, inputs].
  func input(_ frame: CPUFrame) -> UnsafePointer<Float> { frame.input(x) }

  /// The initial state of one pass, [batch, passes * hidden], as [batch, hidden] with rows `ld` apart.
  func load(_ source: UnsafePointer<Float>, pass: Int, to target: UnsafeMutablePointer<Float>, ld: Int? = nil) {
    for row in 0..<batch {
      (target + row * (ld ?? hidden)).update(from: source + (row * passes + pass) * hidden, count: hidden)
    }
  }

  /// The index in the sequence that step number `step` reads.
  func source(_ step: Int, pass: Int) -> Int { isReverse || pass == 1 ? steps - 1 - step : step }
}
