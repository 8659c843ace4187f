import CoreMLSpec

/// Writes layers of the specification.
final class EspressoLayerWriter {
  private var writer = WireWriter()

  /// Gives up the serialized `layers` fields of a `NeuralNetwork`, so that further writes to them copy nothing.
  func take() -> WireWriter {
    let taken = writer
    writer = WireWriter()
    return taken
  }

  /// Writes one layer of the specification. Its inputs and outputs are those of the compiled layer unless others are
  /// given.
  func emit(
    _ kind: Int, _ fields: EspressoFields, inputs: [String]? = nil, outputs: [String]? = nil,
    _ params: (inout WireWriter) -> Void = { _ in }
  ) {
    writer.append(1) { writer in
      writer.append(1, string: fields.layer.name)
      for input in inputs ?? fields.layer.inputs { writer.append(2, string: input) }
      for output in outputs ?? fields.layer.outputs { writer.append(3, string: output) }
      writer.append(kind, message: params)
    }
  }

  /// Writes a layer, followed by the activation that was fused into it; 0 means no activation.
  func emit(
    _ kind: Int, _ fields: EspressoFields, fused activation: Int, _ params: (inout WireWriter) -> Void
  ) {
    guard activation != 0 else {
      emit(kind, fields, params)
      return
    }
    let inner = fields.layer.outputs.map { "\($0)/before activation" }
    emit(kind, fields, outputs: inner, params)
    emit(130, fields, inputs: inner) { $0.append(activation) { _ in } }
  }

  /// The field number of the fused activation in `ActivationParams`.
  func fused(_ fields: inout EspressoFields, relu: String, tanh: String) throws -> Int {
    switch (try fields.flag(relu), try fields.flag(tanh)) {
    case (true, false): return 10
    case (false, true): return 30
    case (false, false): return 0
    case (true, true): throw fields.error(.invalidModel, "'\(relu)' and '\(tanh)' are both set")
    }
  }
}
