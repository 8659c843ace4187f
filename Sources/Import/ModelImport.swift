import CoreMLBase
import CoreMLSpec
import MIL

/// Imports a model file of any supported type as a program and its interface.
enum ModelImport {
  /// Imports a `.mlmodel` file or a `.mlpackage`. The weights are beside it unless they are given. `CompiledBundle`
  /// reads compiled models.
  static func model(_ file: ModelFile, weights: WeightFiles? = nil) throws -> ImportedModel {
    do {
      return try model(file.model, ModelSurroundings(file, weights: weights))
    } catch let error as RuntimeError where error.file == nil {
      throw RuntimeError(error.code, error.message, file: file.model.message.bytes.file)
    }
  }

  /// Imports a model from a message, alone or as part of a pipeline.
  static func model(_ model: Specification.Model, _ surroundings: ModelSurroundings) throws -> ImportedModel {
    guard let description = try model.description else {
      throw RuntimeError(.invalidModel, "the model has no description")
    }
    guard let type = try model.type else { throw RuntimeError(.invalidModel, "the model has no type") }
    var interface = ModelInterface(
      description: description.message.bytes, specificationVersion: Int(try model.specificationVersion),
      modelType: word(of: type), isUpdatable: try model.isUpdatable,
      updateParameters: try UpdateParameter.all(of: model))
    let program: Program
    switch type {
    case .mlProgram(let message):
      program = try ProgramImport(values: ProgramValues(weights: surroundings.weights.tensor)).program(message)
    case .neuralNetwork(let network):
      program = try NetworkModel(network, description, &interface).program()
    case .neuralNetworkClassifier(let network):
      program = try NetworkModel(network, description, &interface).program()
    case .neuralNetworkRegressor(let network):
      program = try NetworkModel(network, description, &interface).program()
    case .pipeline(let pipeline):
      program = try Pipeline(description, surroundings).program(pipeline)
    case .pipelineClassifier(let message):
      program = try Pipeline(description, surroundings).program(message.pipeline)
    case .pipelineRegressor(let message):
      program = try Pipeline(description, surroundings).program(message.pipeline)
    case .linkedModel(let message):
      program = try LinkedModel(description: description, surroundings: surroundings).program(message)
    default:
      program = try ClassicalModels.program(type, description, interface.modelType, in: surroundings.features)
    }
    return ImportedModel(program: program, interface: interface)
  }

  /// The schema's name of the model type.
  static func word(of type: Specification.Model.OneOfType) -> String {
    String("\(type)".prefix { $0 != "(" })
  }
}

/// The features of a pipeline by name.
typealias FeaturePool = [String: Specification.FeatureDescription]

/// The context of a model: the weight files that its programs reference, and the folder of its file.
struct ModelSurroundings: Sendable {
  let weights: WeightFiles
  let folder: String?
  /// For a model in a pipeline: the features that the pipeline has computed before it.
  var features: FeaturePool = [:]
  private let links: Int

  /// The maximum number of links to follow, which also ends cycles of links.
  private static let maximumLinks = 8

  init(_ file: ModelFile, weights: WeightFiles? = nil) {
    self.init(file, weights ?? WeightFiles(file), links: 0)
  }

  /// The context of a pipeline compiled by Apple's tools, whose models have their own contexts.
  init(folder: String) {
    weights = WeightFiles(folder: folder)
    self.folder = folder
    links = 0
  }

  private init(_ file: ModelFile, _ weights: WeightFiles, links: Int) {
    self.weights = weights
    folder = file.folder
    self.links = links
  }

  /// The context of a model to which a model in this context links.
  func linked(_ file: ModelFile) throws -> ModelSurroundings {
    guard links < Self.maximumLinks else {
      throw RuntimeError(.invalidModel, "models link to each other more than \(Self.maximumLinks) deep")
    }
    var linked = ModelSurroundings(file, WeightFiles(file), links: links + 1)
    linked.features = features
    return linked
  }
}
