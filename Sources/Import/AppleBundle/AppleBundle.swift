import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// A `.mlmodelc` folder compiled by Apple's tools, imported as a program and its interface.
///
/// An ML program is read directly (`AppleProgram`), a pipeline model by model (`ApplePipeline`). Every other kind is
/// converted back to the specification's `Model` message and then imported like a model file. A classical model's
/// folder contains that message.
struct AppleBundle {
  private let compiled: CompiledModel

  init(_ compiled: CompiledModel) { self.compiled = compiled }

  func model() throws -> ImportedModel {
    switch compiled.kind {
    case .appleProgram: return try AppleProgram(folder: compiled.path).model()
    case .applePipeline: return try ApplePipeline(compiled).model()
    default:
      return try ModelImport.model(try ModelFile(try AppleModelMessage(compiled).bytes(), folder: compiled.path))
    }
  }
}

/// The serialized `Model` of a compiled model that is neither an ML program nor a pipeline.
struct AppleModelMessage {
  private let compiled: CompiledModel

  init(_ compiled: CompiledModel) { self.compiled = compiled }

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
    case .applePipeline: throw refusal("a pipeline")
    case .appleNeuralNetwork: return try EspressoModel(folder: compiled.path).bytes()
    case .appleProgram: throw refusal("an ML program (model.mil) within another model")
    case .own: throw refusal("a model of this project's own form within another model")
    }
  }

  private func refusal(_ what: String) -> SpecError {
    SpecError(
      .compiledByApple, "the model is \(what), compiled; that is not read: compile its source model instead",
      file: compiled.path)
  }
}
