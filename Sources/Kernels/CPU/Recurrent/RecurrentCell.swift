import CKernels
import MIL

/// What a recurrent layer makes of its gates' sums: kernels for whole steps read it.
struct RecurrentCell: Sendable {
  /// Gates whose sums are made in one pass, and what becomes of them.
  struct Part: Sendable {
    let kind: ck_recurrent_kind
    /// Numbers of the gates in the file's order.
    let gates: [Int]
  }

  let parts: [Part]
  let functions: ck_recurrent_activations
  /// What the sums are clamped to before the functions of gates and candidates.
  var limit = Float.infinity
  var clip = Float.infinity
  var isCoupled = false

  /// `h = cell(sum)`.
  static func plain(_ cell: FusedActivation, limit: Float = .infinity) -> RecurrentCell {
    RecurrentCell(
      parts: [Part(kind: CK_RECURRENT_PLAIN, gates: [0])],
      functions: ck_recurrent_activations(gate: cell, cell: cell, output: cell), limit: limit)
  }

  /// Gates i, f, o, z.
  static func lstm(
    _ gate: FusedActivation, _ cell: FusedActivation, _ output: FusedActivation, limit: Float = .infinity, clip: Float,
    isCoupled: Bool = false
  ) -> RecurrentCell {
    RecurrentCell(
      parts: [Part(kind: CK_RECURRENT_LSTM, gates: [0, 1, 2, 3])],
      functions: ck_recurrent_activations(gate: gate, cell: cell, output: output), limit: limit, clip: clip,
      isCoupled: isCoupled)
  }

  /// Gates r, o, z. The reset gate multiplies the state, so that the candidate needs a pass of its own, or, `resetAfter`, its product.
  static func gru(
    _ gate: FusedActivation, _ cell: FusedActivation, resetAfter: Bool = false, limit: Float = .infinity
  ) -> RecurrentCell {
    let parts =
      resetAfter
      ? [Part(kind: CK_RECURRENT_GRU_AFTER, gates: [0, 2, 1])]
      : [
        Part(kind: CK_RECURRENT_GRU_GATES, gates: [0, 2]), Part(kind: CK_RECURRENT_GRU_CANDIDATE, gates: [1]),
      ]
    return RecurrentCell(
      parts: parts, functions: ck_recurrent_activations(gate: gate, cell: cell, output: cell), limit: limit)
  }

  var gates: Int { parts.reduce(0) { $0 + $1.gates.count } }
  var isResetAfter: Bool { parts[0].kind == CK_RECURRENT_GRU_AFTER }
}
