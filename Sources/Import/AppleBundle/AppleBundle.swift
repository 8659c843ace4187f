import CoreMLSpec
import Foundation
import MIL

/// A `.mlmodelc` folder compiled by Apple's tools, as a program and its interface.
///
/// An ML program is read as it stands (`AppleProgram`). Every other kind is first brought back to the specification's message, and
/// then imported as a model file is: a classical model has that message inside.
struct AppleBundle {
  private let compiled: CompiledModel

  init(_ compiled: CompiledModel) { self.compiled = compiled }

  func model() throws -> ImportedModel {
    switch compiled.kind {
    case .appleProgram: return try AppleProgram(folder: compiled.path).model()
    default:
      return try ModelImport.model(try ModelFile(try AppleModelMessage(compiled).bytes(), folder: compiled.path))
    }
  }
}

/// The serialised `Model` that a compiled model other than an ML program stands for.
struct AppleModelMessage {
  private let compiled: CompiledModel
  private let depth: Int

  /// Pipelines are nested at most so deep.
  private static let maximumDepth = 8

  init(_ compiled: CompiledModel, depth: Int = 0) {
    self.compiled = compiled
    self.depth = depth
  }

  func bytes() throws -> Bytes {
    switch compiled.kind {
    case .appleOther:
      let description = try CompiledDescription.open("\(compiled.path)/coremldata.bin")
      try RefusedTypes.refuse(number: description.typeNumber, file: compiled.path)
      guard case .model(let bytes) = description.contents else {
        throw refusal("a model of type \(description.typeNumber)")
      }
      return bytes
    case .appleEncrypted:
      try compiled.requireReadable()
      throw refusal("an encrypted model")
    case .applePipeline: return try pipeline()
    case .appleNeuralNetwork: return try EspressoModel(folder: compiled.path).bytes()
    case .appleProgram: throw refusal("an ML program (model.mil) within another model")
    case .own: throw refusal("a model of this project's own form within another model")
    }
  }

  /// The models of a pipeline are in the folders `model0`, `model1` and so on.
  private func pipeline() throws -> Bytes {
    let path = "\(compiled.path)/coremldata.bin"
    let description = try CompiledDescription.open(path)
    guard case .description(let message, _) = description.contents, depth < Self.maximumDepth else {
      throw refusal("a pipeline \(depth < Self.maximumDepth ? "without a description of its own" : "within pipelines")")
    }
    var models = WireWriter()
    for index in 0..<(try description.modelCount()) {
      let place = "\(compiled.path)/model\(index)"
      guard case .compiled(let model) = try ModelLocation.open(place) else {
        throw SpecError(.malformedCompiledModel, "expected a compiled model", file: place)
      }
      models.append(1, bytes: try AppleModelMessage(model, depth: depth + 1).bytes())
    }
    var writer = WireWriter()
    writer.append(1, uint: UInt64(description.specificationVersion))
    writer.append(2, bytes: message)
    writer.append(description.typeNumber) { writer in
      // A classifier or regressor has its pipeline in a field.
      if description.typeNumber == 202 { writer = models } else { writer.append(1, bytes: models.bytes) }
    }
    return Bytes(writer.bytes, file: path)
  }

  private func refusal(_ what: String) -> SpecError {
    SpecError(
      .compiledByApple, "the model is \(what), compiled; that is not read: compile its source model instead",
      file: compiled.path)
  }
}
