import CoreMLSpec
import Foundation
import MIL

/// A pipeline compiled by Apple's tools. Its models are in the folders `model0`, `model1` and so on, its description is
/// in `coremldata.bin`.
struct ApplePipeline {
  private let compiled: CompiledModel
  private let depth: Int
  /// The folders of the enclosing pipelines, innermost first. A program may use their weights.
  private let around: [String]
  private let budget: Budget

  /// The maximum nesting of pipelines.
  private static let maximumDepth = 8

  /// The number of models that may still be read. Links between folders can make a few folders look like many.
  private final class Budget {
    var models = 1024
  }

  init(_ compiled: CompiledModel) { self.init(compiled, depth: 0, around: [], budget: Budget()) }

  private init(_ compiled: CompiledModel, depth: Int, around: [String], budget: Budget) {
    (self.compiled, self.depth, self.around, self.budget) = (compiled, depth, around, budget)
  }

  /// - Parameter surrounding: the features of an enclosing pipeline.
  func model(in surrounding: FeaturePool = [:]) throws -> ImportedModel {
    let path = "\(compiled.path)/coremldata.bin"
    let header = try CompiledDescription.open(path)
    guard case .description(let message, _) = header.contents, depth < Self.maximumDepth else {
      throw refusal("a pipeline \(depth < Self.maximumDepth ? "without a description of its own" : "within pipelines")")
    }
    let word = Specification.Model.OneOfType.members.first { $0.number == header.typeNumber }?.name
    let interface = ModelInterface(
      description: message, specificationVersion: header.specificationVersion, modelType: word ?? "pipeline")
    var place = ModelSurroundings(folder: compiled.path)
    place.features = surrounding
    let program = try Pipeline(Specification.ModelDescription(Message(message)), place).program(
      try header.modelCount(), stage)
    return ImportedModel(program: program, interface: interface)
  }

  private func stage(_ number: Int, _ features: FeaturePool) throws -> ImportedModel {
    let place = "\(compiled.path)/model\(number)"
    budget.models -= 1
    guard budget.models >= 0 else { throw refusal("a pipeline of more than 1024 models") }
    guard case .compiled(let model) = try ModelLocation.open(place) else {
      throw SpecError(.malformedCompiledModel, "expected a compiled model", file: place)
    }
    switch model.kind {
    case .appleProgram:
      return try AppleProgram(folder: place).model(weights: weights(of: place))
    case .applePipeline:
      return try ApplePipeline(model, depth: depth + 1, around: [compiled.path] + around, budget: budget)
        .model(in: features)
    default:
      let file = try ModelFile(AppleModelMessage(model).bytes(), folder: place)
      var surroundings = ModelSurroundings(file)
      surroundings.features = features
      return try ModelImport.model(file.model, surroundings)
    }
  }

  /// The weights beside a program. A missing file is searched in the folders of the enclosing pipelines.
  private func weights(of program: String) -> WeightFiles {
    let folders = [program, compiled.path] + around
    return WeightFiles { name in
      let paths = try folders.map { try ModelFile.path(ofBlobFile: name, in: $0) }
      return try BlobFile.open(paths.first { FileManager.default.fileExists(atPath: $0) } ?? paths[0])
    }
  }

  private func refusal(_ what: String) -> SpecError {
    SpecError(
      .compiledByApple, "the model is \(what), compiled; that is not read: compile its source model instead",
      file: compiled.path)
  }
}
