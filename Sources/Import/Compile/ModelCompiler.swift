import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// Compiles a model file or package to a folder that loads without its source.
package enum ModelCompiler {
  /// Compiles to a new temporary folder. The result has the source's base name and the extension `mlmodelc`.
  ///
  /// - Parameter check: throws for a model that could not be loaded later, before anything is written.
  package static func compile(_ url: URL, check: (ImportedModel) throws -> Void = { _ in }) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw RuntimeError(.io, "no temporary folder can be made: \(error.localizedDescription)", file: folder.path)
    }
    do {
      return try compile(url, into: folder, check: check)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  /// Compiles into an existing folder.
  package static func compile(
    _ url: URL, into folder: URL, check: (ImportedModel) throws -> Void = { _ in }
  ) throws -> URL {
    let model = try source(url)
    try check(model)
    let name = url.deletingPathExtension().lastPathComponent
    let target = folder.appending(path: "\(name.isEmpty ? "model" : name).mlmodelc")
    try CompiledBundle.write(optimised(model), to: target.path)
    return target
  }

  /// Reads the uncompiled model at a path.
  package static func source(_ url: URL, weights: WeightFiles? = nil) throws -> ImportedModel {
    try ModelBounds.requireSize(url.path)
    switch try ModelLocation.open(url.path) {
    case .file(let file): return try ModelImport.model(file, weights: weights).verified(url.path)
    case .package(let package): return try ModelImport.model(package.file, weights: weights).verified(url.path)
    case .compiled(let compiled):
      throw RuntimeError(.invalidInput, "the model is compiled already", file: compiled.path)
    }
  }

  /// Imports a model in memory.
  package static func source(_ file: ModelFile, weights: WeightFiles) throws -> ImportedModel {
    try ModelImport.model(file, weights: weights).verified("the model in memory")
  }

  /// Runs the portable passes: those that are valid for every device and every shape and never enlarge weights.
  package static func optimised(_ model: ImportedModel) throws -> ImportedModel {
    var model = model
    for (name, function) in model.program.functions {
      model.program.functions[name] = try function.after(RemoveIdentities()).after(RemoveDeadCode())
    }
    return model
  }
}

/// Loads compiled models: those of this project, and those of Apple's tools.
package enum CompiledModelLoader {
  package static func load(_ path: String) throws -> ImportedModel {
    try ModelBounds.requireSize(path)
    switch try ModelLocation.open(path) {
    case .compiled(let compiled):
      try compiled.requireReadable()
      if case .own = compiled.kind { return try CompiledBundle.read(compiled.path).verified(compiled.path) }
      // A model compiled by Apple's tools is treated like a source: it gets the passes that compiling would have run.
      return try ModelCompiler.optimised(AppleBundle(compiled).model().verified(compiled.path))
    case .file, .package:
      throw RuntimeError(
        .invalidInput, "the model is not compiled: `MLModel.compileModel(at:)` comes first", file: path)
    }
  }
}

extension ImportedModel {
  /// Returns the model after verifying its program. Later steps do not verify it again.
  package func verified(_ path: String) throws -> ImportedModel {
    try ModelBounds.requireOperations(program, path)
    do { try program.verify() } catch let error as MILError where !error.isOfBounds {
      throw RuntimeError(.invalidModel, "\(error)", file: path)
    }
    return self
  }
}
