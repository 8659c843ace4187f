import CoreML
import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// The description in a model file. It is read from views of the mapped file, so the weights are not loaded.
struct ModelSummary: Encodable {
  struct Feature: Encodable {
    let name: String
    let type: String
    let isOptional: Bool
    let description: String?
    /// Its members are encoded next to the others.
    let form: FeatureSummary

    private enum CodingKeys: String, CodingKey { case name, type, isOptional, description }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(name, forKey: .name)
      try members.encode(type, forKey: .type)
      try members.encode(isOptional, forKey: .isOptional)
      try members.encodeIfPresent(description, forKey: .description)
      try form.encode(to: encoder)
    }
  }

  /// A model of a pipeline.
  struct Stage: Encodable {
    let name: String
    let modelType: String?
    let inputs: [Feature]
    let outputs: [Feature]
    let stages: [Stage]
  }

  struct Interface: Encodable {
    let name: String
    let inputs: [Feature]
    let outputs: [Feature]
    let states: [Feature]
    let predictedFeatureName: String?
    let predictedProbabilitiesName: String?
  }

  let path: String
  /// `mlmodel`, `mlpackage` or `mlmodelc`.
  let form: String
  let bytes: Int
  let specificationVersion: Int?
  let modelType: String?
  let functions: [Interface]
  let metadata: [String: String]
  let isUpdatable: Bool
  /// The features of a training example, for an updatable model.
  let trainingInputs: [Feature]
  /// The models of a pipeline, in order.
  let stages: [Stage]
  /// Number of operations or layers by type.
  let contents: [String: Int]
  /// Why a model compiled by Apple's tools cannot run here.
  let refusal: String?
  var weights: [WeightReport]?

  init(_ url: URL) throws {
    path = url.path
    let file: ModelFile
    switch try ModelLocation.open(url.path) {
    case .file(let model): (file, form) = (model, "mlmodel")
    case .package(let package): (file, form) = (package.file, "mlpackage")
    case .compiled(let compiled):
      try compiled.requireReadable()
      form = "mlmodelc"
      bytes = try Self.size(url)
      let message: Bytes
      do {
        let inspection = try ModelInspection(modelAt: url, configuration: MLModelConfiguration.cpuOnly)
        (specificationVersion, modelType) = (inspection.specificationVersion, inspection.modelType)
        (message, contents, refusal) = (inspection.description, inspection.operationCounts(), nil)
      } catch let error as MLModelError {
        guard let refused = RefusedModel(compiled, refusedWith: error) else { throw error }
        (specificationVersion, modelType) = (refused.specificationVersion, refused.modelType)
        (message, contents, refusal) = (refused.description, [:], refused.reason)
      }
      let description = Specification.ModelDescription(Message(message))
      functions = try Self.interfaces(description)
      (metadata, isUpdatable) = (try Self.metadata(description), false)
      (trainingInputs, stages) = (try description.trainingInput.map(Self.feature), [])
      return
    }
    refusal = nil
    bytes = try Self.size(url)
    specificationVersion = Int(file.specificationVersion)
    let type = try file.model.type
    modelType = type.flatMap(Self.label)
    isUpdatable = try file.model.isUpdatable
    if let description = try file.model.description {
      functions = try Self.interfaces(description)
      metadata = try Self.metadata(description)
      trainingInputs = try description.trainingInput.map(Self.feature)
    } else {
      (functions, metadata, trainingInputs) = ([], [:], [])
    }
    stages = try Self.stages(type)
    contents = try Self.contents(type)
  }

  /// The name of an enumeration's case.
  private static func label(_ value: Any) -> String? { Mirror(reflecting: value).children.first?.label }

  private static func size(_ url: URL) throws -> Int {
    var status = stat()
    guard stat(url.path, &status) == 0 else { throw Failure(.io, "\(url.path): it cannot be examined") }
    if status.st_mode & S_IFMT != S_IFDIR { return Int(status.st_size) }
    var total = 0
    for case let path as String in FileManager.default.enumerator(atPath: url.path) ?? FileManager.DirectoryEnumerator()
    {
      var status = stat()
      if stat("\(url.path)/\(path)", &status) == 0, status.st_mode & S_IFMT == S_IFREG { total += Int(status.st_size) }
    }
    return total
  }

  // MARK: features

  private static func interfaces(_ description: Specification.ModelDescription) throws -> [Interface] {
    func interface(
      _ name: String, _ inputs: Views<Specification.FeatureDescription>,
      _ outputs: Views<Specification.FeatureDescription>,
      _ states: Views<Specification.FeatureDescription>, _ label: String, _ probabilities: String
    ) throws -> Interface {
      Interface(
        name: name, inputs: try inputs.map(feature), outputs: try outputs.map(feature), states: try states.map(feature),
        predictedFeatureName: label.isEmpty ? nil : label,
        predictedProbabilitiesName: probabilities.isEmpty ? nil : probabilities)
    }
    let functions = try description.functions.map {
      try interface($0.name, $0.input, $0.output, $0.state, $0.predictedFeatureName, $0.predictedProbabilitiesName)
    }
    guard functions.isEmpty else { return functions }
    return [
      try interface(
        "main", description.input, description.output, description.state, description.predictedFeatureName,
        description.predictedProbabilitiesName)
    ]
  }

  private static func feature(_ feature: Specification.FeatureDescription) throws -> Feature {
    let type = try feature.type
    let text = try feature.shortDescription
    return Feature(
      name: try feature.name, type: try type.map(describe) ?? "none", isOptional: try type?.isOptional ?? false,
      description: text.isEmpty ? nil : text, form: try FeatureSummary(type))
  }

  private static func describe(_ type: Specification.FeatureType) throws -> String {
    switch try type.type {
    case .int64Type: return "int64"
    case .doubleType: return "double"
    case .stringType: return "string"
    case .imageType(let image):
      return "image \(try image.width) x \(try image.height), \(try "\(image.colorSpace)".uppercased())"
    case .multiArrayType(let array): return try describe(array)
    case .dictionaryType(let dictionary):
      return "dictionary of \(try dictionary.int64KeyType != nil ? "int64" : "string") to double"
    case .sequenceType(let sequence): return "sequence of \(try sequence.int64Type != nil ? "int64" : "string")"
    case .stateType(let state): return "state \(try state.arrayType.map(describe) ?? "")"
    case nil: return "none"
    }
  }

  private static func describe(_ array: Specification.ArrayFeatureType) throws -> String {
    var text = "multiArray \(try array.dataType) \(try array.shape.map { $0 })"
    switch try array.shapeFlexibility {
    case .enumeratedShapes(let shapes):
      text += " or " + (try shapes.shapes.map { "\(try $0.shape.map { $0 })" }).joined(separator: ", ")
    case .shapeRange(let range):
      let sizes = try range.sizeRanges.map {
        try $0.upperBound < 0 ? "\(try $0.lowerBound)..." : "\(try $0.lowerBound)...\(try $0.upperBound)"
      }
      text += " in [\(sizes.joined(separator: ", "))]"
    case nil: break
    }
    return text
  }

  private static func metadata(_ description: Specification.ModelDescription) throws -> [String: String] {
    guard let metadata = try description.metadata else { return [:] }
    var result = try metadata.userDefined
    for (key, text) in [
      ("description", try metadata.shortDescription), ("version", try metadata.versionString),
      ("author", try metadata.author),
      ("license", try metadata.license),
    ] where !text.isEmpty { result[key] = text }
    return result
  }

  // MARK: contents

  private static func pipeline(_ type: Specification.Model.OneOfType?) throws -> Specification.Pipeline? {
    switch type {
    case .pipeline(let pipeline): pipeline
    case .pipelineClassifier(let classifier): try classifier.pipeline
    case .pipelineRegressor(let regressor): try regressor.pipeline
    default: nil
    }
  }

  private static func stages(_ type: Specification.Model.OneOfType?, depth: Int = 0) throws -> [Stage] {
    guard let pipeline = try pipeline(type) else { return [] }
    guard depth < 64 else { throw Failure(.data, "pipelines nest deeper than 64 levels") }
    let names = try pipeline.names
    return try pipeline.models.enumerated().map { index, model in
      let (type, description) = (try model.type, try model.description)
      return Stage(
        name: index < names.count && !names[index].isEmpty ? names[index] : "\(index)", modelType: type.flatMap(label),
        inputs: try description?.input.map(feature) ?? [], outputs: try description?.output.map(feature) ?? [],
        stages: try stages(type, depth: depth + 1))
    }
  }

  private static func contents(_ type: Specification.Model.OneOfType?) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    switch type {
    case .mlProgram(let program):
      for (_, function) in try program.functionsInOrder {
        for (_, block) in try function.blockSpecializationsInOrder { try count(block, &counts, depth: 0) }
      }
    case .neuralNetwork(let network): try count(network.layers, &counts)
    case .neuralNetworkClassifier(let network): try count(network.layers, &counts)
    case .neuralNetworkRegressor(let network): try count(network.layers, &counts)
    default:
      for model in try pipeline(type)?.models.map({ $0 }) ?? [] {
        counts[try model.type.flatMap(label) ?? "none", default: 0] += 1
      }
    }
    return counts
  }

  private static func count(_ layers: Views<Specification.NeuralNetworkLayer>, _ counts: inout [String: Int]) throws {
    for layer in layers { counts[try layer.layer.flatMap(label) ?? "none", default: 0] += 1 }
  }

  private static func count(_ block: MILSpec.Block, _ counts: inout [String: Int], depth: Int) throws {
    guard depth < 64 else { throw Failure(.data, "the program's blocks nest deeper than 64 levels") }
    for operation in try block.operations {
      counts[try operation.type, default: 0] += 1
      for inner in try operation.blocks { try count(inner, &counts, depth: depth + 1) }
    }
  }
}

extension MLModelConfiguration {
  static var cpuOnly: MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return configuration
  }
}
