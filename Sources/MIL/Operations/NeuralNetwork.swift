/// Operations of NeuralNetwork models that MIL lacks. They do not occur in ML programs.
enum NeuralNetworkOperations {
  static let all: [OperationDefinition] = [
    .unary("nn.asinh"),
    .unary("nn.acosh"),
    // `non_maximum_suppression` with a score threshold, except that a batch item without a box above it keeps its best
    // box (NeuralNetwork.proto: NonMaximumSuppressionLayerParams).
    OperationDefinition(
      "nn.non_maximum_suppression",
      [
        .required("boxes"), .required("scores"), .required("iou_threshold"), .required("score_threshold"),
        .required("max_boxes"), .optional("per_class_suppression"),
      ]
    ) { try NonMaximumSuppressionOperations.suppressedTypes($0) },
    // The recurrent layers, with the weight layouts of the MIL operations of the same names. The gates of `nn.lstm` are
    // i, f, o, z, and those of `nn.gru` are r, o, z. Pre-activations are clamped to -50 ... 50, and cells to -clip ...
    // clip. With `coupled_gates`, f is 1 - i.
    OperationDefinition(
      "nn.lstm",
      [
        .required("x"), .required("initial_h"), .required("initial_c"), .required("weight_ih"), .required("weight_hh"),
        .optional("bias"), .optional("peephole"), .optional("direction"), .optional("output_sequence"),
        .optional("coupled_gates"), .optional("clip"),
      ] + activationParameters("recurrent_activation") + activationParameters("cell_activation")
        + activationParameters("activation"), work: { Recurrent.work($0, $1) }
    ) { call in
      _ = try ["recurrent_activation", "cell_activation", "activation"].map { try FusedActivation(layer: $0, call) }
      return try Recurrent.outputTypes(call, gates: 4)
    },
    OperationDefinition(
      "nn.gru",
      [
        .required("x"), .required("initial_h"), .required("weight_ih"), .required("weight_hh"), .optional("bias"),
        .optional("direction"), .optional("output_sequence"),
      ] + activationParameters("recurrent_activation") + activationParameters("activation"),
      work: { Recurrent.work($0, $1) }
    ) { call in
      _ = try ["recurrent_activation", "activation"].map { try FusedActivation(layer: $0, call) }
      return try Recurrent.outputTypes(call, gates: 3)
    },
    OperationDefinition(
      "nn.rnn",
      [
        .required("x"), .required("initial_h"), .required("weight_ih"), .required("weight_hh"), .optional("bias"),
        .optional("direction"), .optional("output_sequence"),
      ] + activationParameters("activation"), work: { Recurrent.work($0, $1) }
    ) { call in
      _ = try FusedActivation(layer: "activation", call)
      return try Recurrent.outputTypes(call, gates: 1)
    },
  ]

  private static func activationParameters(_ name: String) -> [Parameter] {
    [.required(name), .optional(name + "_alpha"), .optional(name + "_beta")]
  }
}

extension FusedActivation {
  /// An activation of a recurrent layer: the name of a MIL operation, with its parameters in separate arguments.
  package init(layer argument: String, _ call: Invocation) throws {
    let word = try call.string(argument)
    guard let name = Name(rawValue: word) else {
      throw call.error(.invalidArgument, "'\(argument)' is '\(word)', which is no activation")
    }
    self.init(
      name, alpha: try call.double(argument + "_alpha", default: 0),
      beta: try call.double(argument + "_beta", default: 0))
  }
}
