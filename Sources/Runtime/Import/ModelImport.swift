import CoreMLSpec
import MIL

/// Turns a model file of any supported type into a program and its interface.
enum ModelImport {
  /// The model of a `.mlmodel` file or a `.mlpackage`, its weights beside it unless they are given. A compiled one is read by
  /// `CompiledBundle`.
  static func model(_ file: ModelFile, weights: WeightFiles? = nil) throws -> ImportedModel {
    guard let description = try file.model.description else {
      throw RuntimeError(.invalidModel, "the model has no description", file: file.model.message.bytes.file)
    }
    guard let type = try file.model.type else {
      throw RuntimeError(.invalidModel, "the model has no type", file: file.model.message.bytes.file)
    }
    var interface = ModelInterface(
      description: description.message.bytes, specificationVersion: Int(file.specificationVersion),
      modelType: word(of: type), isUpdatable: try file.model.isUpdatable)
    let program: Program
    switch type {
    case .mlProgram(let message):
      let weights = weights ?? WeightFiles(file)
      program = try ProgramImport(values: ProgramValues(weights: weights.tensor)).program(message)
    case .neuralNetwork(let network):
      program = try NetworkModel(network, description, &interface).program()
    case .neuralNetworkClassifier(let network):
      program = try NetworkModel(network, description, &interface).program()
    case .neuralNetworkRegressor(let network):
      program = try NetworkModel(network, description, &interface).program()
    default:
      throw RuntimeError(
        .unsupported, "models of type \(interface.modelType) are not supported", file: file.model.message.bytes.file)
    }
    return ImportedModel(program: program, interface: interface)
  }

  /// The schema's name of the model type.
  static func word(of type: Specification.Model.OneOfType) -> String {
    String("\(type)".prefix { $0 != "(" })
  }
}
