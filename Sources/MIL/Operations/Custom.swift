/// Operations whose meaning is code of the application (`OperationCode`). Until they have it, only run time tells their types.
///
/// `parameter_names` names `parameter_values`: scalars of fp64, string, int32, int64 and bool, and bytes as vectors of uint8.
extension Operations {
  /// Their names.
  package static let codedByApplications = Set(custom.map(\.name))

  static let custom: [OperationDefinition] = [
    // A layer of the class `class_name` (NeuralNetwork.proto: CustomLayerParams). `weights` are the bytes as the file has them;
    // `layer` is its name, for sentences.
    OperationDefinition(
      "nn.custom",
      [
        list("values"), .required("class_name"), .required("layer"), list("weights"), .optional("parameter_names"),
        list("parameter_values"),
      ], isPure: false, outputTypes: byCode),
    // A model of the class `class_name` (CustomModel.proto). `description` is its `ModelDescription` as the specification's message;
    // `values` are its input features in order, and `given` says of each whether it is there.
    OperationDefinition(
      "ml.custom",
      [
        list("values"), list("given"), .required("class_name"), .required("description"), .optional("parameter_names"),
        list("parameter_values"),
      ], isPure: false, outputTypes: byCode),
  ]

  /// A variadic parameter that may be left out altogether.
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
