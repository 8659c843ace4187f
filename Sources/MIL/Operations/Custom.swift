/// Operations computed by application code (`OperationCode`). Without that code, their types are only known at run
/// time.
///
/// `parameter_names` names the `parameter_values`: scalars of fp64, string, int32, int64 and bool, and byte strings as
/// uint8 vectors.
package enum CustomOperations {
  /// The names of these operations.
  package static let codedByApplications = Set(all.map(\.name))

  static let all: [OperationDefinition] = [
    // A layer of the class `class_name` (NeuralNetwork.proto: CustomLayerParams). `weights` are the bytes from the
    // file. `layer` is its name, for messages.
    OperationDefinition(
      "nn.custom",
      [
        list("values"), .required("class_name"), .required("layer"), list("weights"), .optional("parameter_names"),
        list("parameter_values"),
      ], isPure: false, outputTypes: byCode),
    // A model of the class `class_name` (CustomModel.proto). `description` is its serialized `ModelDescription`
    // message. `values` are its input features in order; `given` has a flag for each that says whether it is present.
    OperationDefinition(
      "ml.custom",
      [
        list("values"), list("given"), .required("class_name"), .required("description"), .optional("parameter_names"),
        list("parameter_values"),
      ], isPure: false, outputTypes: byCode),
  ]

  /// A variadic parameter that may be omitted.
  private static func list(_ name: String) -> Parameter {
    Parameter(name: name, isOptional: true, isVariadic: true)
  }

  @Sendable private static func byCode(_ call: Invocation) throws -> [ValueType] {
    guard let code = call.operation.code else {
      throw call.error(.unknownValue, "what it gives is known once its class '\(try call.string("class_name"))' is")
    }
    return try code.outputTypes(call)
  }
}
