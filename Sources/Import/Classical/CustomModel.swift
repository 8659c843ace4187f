import CoreMLBase
import CoreMLSpec
import MIL

/// Models that the application implements.
struct CustomModelImport {
  let program: FeatureProgram

  /// The optional features. The application must see whether they are absent.
  static func optionalInputs(_ description: Specification.ModelDescription) throws -> [String] {
    try description.input.filter { try $0.type?.isOptional == true }.map { try $0.name }
  }

  func add(_ message: Specification.CustomModel) throws {
    var arguments: [String: [Binding]] = [
      "class_name": [.string(try message.className)],
      "description": [.tensor(try Tensor(bytes: program.description.message.bytes))],
    ]
    let optional = Set(try Self.optionalInputs(program.description))
    let inputs = try program.description.input.map { try $0.name }
    if !inputs.isEmpty {
      arguments["values"] = inputs.map { .name($0) }
      arguments["given"] = inputs.map { optional.contains($0) ? .name(FeatureTypes.presence(of: $0)) : .bool(true) }
    }
    do { try CustomParameters(message.parameters).add(to: &arguments) } catch let failure as RuntimeError {
      throw program.error(failure.code, failure.message)
    }
    let outputs = try program.description.output.map { try $0.name }
    let types = try program.description.output.map { try FeatureTypes.type(of: $0) }
    guard !outputs.isEmpty else { throw program.error("it has no outputs") }
    let values = try program.builder.add("ml.custom", arguments, named: outputs, dynamic: types)
    for (output, value) in zip(outputs, values) { try program.set(output, value) }
  }
}
