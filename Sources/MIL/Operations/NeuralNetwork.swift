/// What NeuralNetwork models say and MIL does not: no ML program holds these operations.
extension Operations {
  static let neuralNetwork: [OperationDefinition] = [
    unary("nn.asinh"),
    unary("nn.acosh"),
    // `non_maximum_suppression` with a score threshold, but a batch item without a box above it keeps its best box
    // (NeuralNetwork.proto: NonMaximumSuppressionLayerParams).
    OperationDefinition(
      "nn.non_maximum_suppression",
      [
        .required("boxes"), .required("scores"), .required("iou_threshold"), .required("score_threshold"),
        .required("max_boxes"), .optional("per_class_suppression"),
      ]
    ) { try suppressedTypes($0) },
    // The recurrent layers, laid out as MIL's operations of these names: gates i, f, o, z of `nn.lstm`, r, o, z of `nn.gru`.
    // Every pre-activation is clamped to -50 ... 50, cells to -clip ... clip; with `coupled_gates` f is 1 - i.
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
  /// An activation of a recurrent layer: the name of a MIL operation, and its parameters beside it.
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
