/// Recurrent layers over sequences (coremltools: `lstm`, `gru`, `rnn`). x [s, b, I], states [b, H] (lstm: both
/// directions concatenated). The outputs are the sequence [s, b, H] or its last step [1, b, H], followed by the final
/// states.
///
/// `<activation>_alpha` is an extension: the slope of a hard sigmoid in a recognised loop. MIL's slope is 0.2.
enum RecurrentOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "lstm",
      [
        .required("x"), .required("initial_h"), .required("initial_c"), .required("weight_ih"),
        .required("weight_hh"), .optional("bias"), .optional("peephole"), .optional("weight_ih_back"),
        .optional("weight_hh_back"), .optional("bias_back"), .optional("peephole_back"), .optional("direction"),
        .optional("output_sequence"), .optional("recurrent_activation"), .optional("cell_activation"),
        .optional("activation"), .optional("clip"), .optional("recurrent_activation_alpha"),
        .optional("cell_activation_alpha"), .optional("activation_alpha"),
      ], work: { Recurrent.work($0, $1) }
    ) { try Recurrent.outputTypes($0, gates: 4) },
    OperationDefinition(
      "gru",
      [
        .required("x"), .required("initial_h"), .required("weight_ih"), .required("weight_hh"), .optional("bias"),
        .optional("input_bias"), .optional("reset_after"), .optional("direction"), .optional("output_sequence"),
        .optional("recurrent_activation"), .optional("activation"), .optional("recurrent_activation_alpha"),
        .optional("activation_alpha"),
      ], work: { Recurrent.work($0, $1) }
    ) { try Recurrent.outputTypes($0, gates: 3) },
    OperationDefinition(
      "rnn",
      [
        .required("x"), .required("initial_h"), .required("weight_ih"), .required("weight_hh"), .optional("bias"),
        .optional("direction"), .optional("output_sequence"), .optional("activation"), .optional("activation_alpha"),
      ], work: { Recurrent.work($0, $1) }
    ) { try Recurrent.outputTypes($0, gates: 1) },
  ]
}

/// The arguments of the recurrent operations.
package enum Recurrent {
  package enum Direction: String, Sendable {
    case forward
    /// Reads the sequence from its end. The outputs are in the order of computation.
    case reverse
    /// Forward and backward outputs concatenated. Each output is at the step that it belongs to.
    case bidirectional
  }

  package static func direction(_ call: Invocation) throws -> Direction {
    let word = try call.string("direction", default: "forward")
    guard let direction = Direction(rawValue: word), direction != .bidirectional || call.operation.type == "lstm" else {
      throw call.error(.invalidArgument, "'direction' is '\(word)', which \(call.operation.type) does not have")
    }
    return direction
  }

  static func outputTypes(_ call: Invocation, gates: Int) throws -> [ValueType] {
    let x = try call.tensor("x")
    guard x.rank == 3 else { throw call.error(.invalidShape, "'x' is \(x), expected [sequence, batch, input]") }
    let directions = try direction(call) == .bidirectional ? 2 : 1
    let hidden = try weights(call, "weight_ih", "weight_hh", "bias", "peephole", gates, x)
    if directions == 2 {
      let other = try weights(call, "weight_ih_back", "weight_hh_back", "bias_back", "peephole_back", gates, x)
      guard other.agrees(with: hidden) else {
        throw call.error(.invalidShape, "the directions have \(hidden) and \(other) hidden units")
      }
    }
    // Some converters create states for larger batches. The first rows are used, and the others ignored (coremltools'
    // tests of PyTorch's packed sequences).
    for name in ["initial_h", "initial_c"] where call.has(name) {
      let rows = try call.shape(name).first ?? x.shape[1]
      let isLarger = (rows.value ?? 0) > (x.shape[1].value ?? .max)
      try require(call, name, [isLarger ? rows : x.shape[1], hidden * directions])
    }
    if call.has("input_bias") { try require(call, "input_bias", [hidden * gates]) }
    let steps = try call.bool("output_sequence", default: false) ? x.shape[0] : 1
    let state = ValueType.tensor(TensorType(x.scalar, [x.shape[1], hidden * directions]))
    let sequence = ValueType.tensor(TensorType(x.scalar, [steps, x.shape[1], hidden * directions]))
    if let length = x.shape[0].value, length < 1 {
      throw call.error(.invalidShape, "'x' is an empty sequence")
    }
    return gates == 4 ? [sequence, state, state] : [sequence, state]
  }

  /// Checks the weights of one direction, [gates H, I] and [gates H, H]. Returns H.
  private static func weights(
    _ call: Invocation, _ input: String, _ recurrent: String, _ bias: String, _ peephole: String, _ gates: Int,
    _ x: TensorType
  ) throws -> Dimension {
    let shape = try call.shape(recurrent)
    guard shape.count == 2 else { throw call.error(.invalidShape, "'\(recurrent)' must have two axes") }
    let hidden = shape[1]
    try require(call, recurrent, [hidden * gates, hidden])
    try require(call, input, [hidden * gates, x.shape[2]])
    if call.has(bias) { try require(call, bias, [hidden * gates]) }
    if call.has(peephole) { try require(call, peephole, [hidden * 3]) }
    return hidden
  }

  private static func require(_ call: Invocation, _ name: String, _ expected: [Dimension]) throws {
    let found = try call.shape(name)
    guard found.count == expected.count, zip(found, expected).allSatisfy({ $0.agrees(with: $1) }) else {
      throw call.error(
        .invalidShape,
        "'\(name)' is \(try call.tensor(name)), expected [\(expected.map(\.description).joined(separator: ", "))]")
    }
  }

  static func work(_ call: Invocation, _ outputs: [ValueType]) -> Work {
    let steps = (try? call.shape("x")).map { Double($0[0].value ?? 1) * Double($0[1].value ?? 1) } ?? 1
    let weights = ["weight_ih", "weight_hh", "weight_ih_back", "weight_hh_back"].reduce(0.0) {
      $0 + Double((try? call.tensor($1).elementCount) ?? 0)
    }
    return Work(flops: 2 * steps * weights)
  }
}
