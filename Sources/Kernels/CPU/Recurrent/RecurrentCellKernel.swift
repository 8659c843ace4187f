import CKernels
import MIL

/// How a recurrent layer computes its states from the accumulators of its gates. Kernels for whole steps use it.
struct RecurrentCellKernel: Sendable {
  /// The gates that are computed in one pass, and the function that is applied to them.
  struct Part: Sendable {
    let kind: ck_recurrent_kind
    /// Indices of the gates in the order of the model file.
    let gates: [Int]
  }

  let parts: [Part]
  let functions: ck_recurrent_activations
  /// Accumulators are clamped to this magnitude before the functions of gates and candidates.
  var limit = Float.infinity
  var clip = Float.infinity
  var isCoupled = false

  /// `h = cell(sum)`.
  static func plain(_ cell: FusedActivation, limit: Float = .infinity) -> RecurrentCellKernel {
    RecurrentCellKernel(
      parts: [Part(kind: CK_RECURRENT_PLAIN, gates: [0])],
      functions: ck_recurrent_activations(gate: cell, cell: cell, output: cell), limit: limit)
  }

  /// Gates i, f, o, z.
  static func lstm(
    _ gate: FusedActivation, _ cell: FusedActivation, _ output: FusedActivation, limit: Float = .infinity, clip: Float,
    isCoupled: Bool = false
  ) -> RecurrentCellKernel {
    RecurrentCellKernel(
      parts: [Part(kind: CK_RECURRENT_LSTM, gates: [0, 1, 2, 3])],
      functions: ck_recurrent_activations(gate: gate, cell: cell, output: output), limit: limit, clip: clip,
      isCoupled: isCoupled)
  }

  /// Gates r, o, z. The reset gate multiplies the state, so that the candidate needs a pass of its own. With
  /// `resetAfter` it multiplies the product instead.
  static func gru(
    _ gate: FusedActivation, _ cell: FusedActivation, resetAfter: Bool = false, limit: Float = .infinity
  ) -> RecurrentCellKernel {
    let parts =
      resetAfter
      ? [Part(kind: CK_RECURRENT_GRU_AFTER, gates: [0, 2, 1])]
      : [
        Part(kind: CK_RECURRENT_GRU_GATES, gates: [0, 2]), Part(kind: CK_RECURRENT_GRU_CANDIDATE, gates: [1]),
      ]
    return RecurrentCellKernel(
      parts: parts, functions: ck_recurrent_activations(gate: gate, cell: cell, output: cell), limit: limit)
  }

  var gates: Int { parts.reduce(0) { $0 + $1.gates.count } }
  var isResetAfter: Bool { parts[0].kind == CK_RECURRENT_GRU_AFTER }
}
