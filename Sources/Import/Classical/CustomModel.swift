import CoreMLBase
import CoreMLSpec
import MIL

/// Models that the application implements.
extension FeatureProgram {
  /// The optional features. The application must see whether they are absent.
  static func optionalInputs(_ description: Specification.ModelDescription) throws -> [String] {
    try description.input.filter { try $0.type?.isOptional == true }.map { try $0.name }
  }

  mutating func custom(_ message: Specification.CustomModel) throws {
    var arguments: [String: [Binding]] = [
      "class_name": [.string(try message.className)],
      "description": [.tensor(try Tensor(bytes: description.message.bytes))],
    ]
    let optional = Set(try Self.optionalInputs(description))
    let inputs = try description.input.map { try $0.name }
    if !inputs.isEmpty {
      arguments["values"] = inputs.map { .name($0) }
      arguments["given"] = inputs.map { optional.contains($0) ? .name(FeatureTypes.presence(of: $0)) : .bool(true) }
    }
    do { try CustomParameters(message.parameters).add(to: &arguments) } catch let failure as RuntimeError {
      throw error(failure.code, failure.message)
    }
    let outputs = try description.output.map { try $0.name }
    let types = try description.output.map { try FeatureTypes.type(of: $0) }
    guard !outputs.isEmpty else { throw error("it has no outputs") }
    let values = try builder.add("ml.custom", arguments, named: outputs, dynamic: types)
    for (output, value) in zip(outputs, values) { try set(output, value) }
  }
}
