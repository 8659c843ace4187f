import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// A reference to another model in a file beside this one (LinkedModel.proto). Compiling includes the other model.
struct LinkedModel {
  let description: Specification.ModelDescription
  let surroundings: ModelSurroundings

  func program(_ message: Specification.LinkedModel) throws -> Program {
    guard let file = try message.linkedModelFile, let name = try file.linkedModelFileName?.defaultValue, !name.isEmpty
    else { throw RuntimeError(.invalidModel, "the linked model names no file") }
    guard let folder = surroundings.folder else {
      throw RuntimeError(.unsupported, "the linked model '\(name)' is a file beside a model that came from memory")
    }
    let paths = try file.linkedModelSearchPath?.defaultValue ?? ""
    for path in paths.isEmpty ? ["."] : paths.split(separator: ":", omittingEmptySubsequences: false).map(String.init) {
      let place = try self.place(path, name, folder)
      guard FileManager.default.fileExists(atPath: place) else { continue }
      var program = try Pipeline(description, surroundings).program([model(at: place)])
      program.functions["main"]?.link(to: name, in: paths)
      return program
    }
    throw RuntimeError(.io, "the linked model '\(name)' is in none of the folders '\(paths.isEmpty ? "." : paths)'")
  }

  /// Searches only the model's folder and those below it, so a model file cannot select arbitrary files to read.
  private func place(_ path: String, _ name: String, _ folder: String) throws -> String {
    let isHere = path.isEmpty || path == "."
    guard let relative = RelativePath(isHere ? name : "\(path)/\(name)"), !path.hasPrefix("$") else {
      throw RuntimeError(
        .unsupported,
        "the linked model '\(name)' is searched for in '\(path)'; put it into the folder of the model that links to it")
    }
    return relative.below(folder)
  }

  /// Replaces the linked model of a loaded model.
  ///
  /// - Parameters:
  ///   - file: the name of a compiled model; nil for the name in the model.
  ///   - searchPath: folders, separated by colons; nil for those in the model, empty for `folder`. Relative paths are
  ///     relative to `folder`.
  static func relinked(
    _ model: ImportedModel, to file: String?, in searchPath: String?, beside folder: String
  ) throws -> ImportedModel {
    guard let structure = model.program.functions["main"]?.fileStructure, let linked = structure.linkedFile else {
      throw RuntimeError(.invalidInput, "the model links to no other one")
    }
    let (name, paths) = (file ?? linked, searchPath ?? structure.linkedSearchPath ?? "")
    for path in paths.isEmpty ? ["."] : paths.split(separator: ":", omittingEmptySubsequences: false).map(String.init) {
      let base = path.hasPrefix("/") ? path : "\(folder)/\(path)"
      let places = [name, "\(name).mlmodelc"].map { "\(base)/\($0)" }
      guard let place = places.first(where: { FileManager.default.fileExists(atPath: "\($0)/model.mil") }) else {
        continue
      }
      let description = Specification.ModelDescription(Message(model.interface.description))
      var result = model
      result.program = try Pipeline(description, nil).program([CompiledModelLoader.load(place)])
      result.program.functions["main"]?.link(to: name, in: paths)
      result.weightFile = nil
      return result
    }
    throw RuntimeError(
      .io, "the linked model '\(name)' is compiled in none of the folders '\(paths.isEmpty ? folder : paths)'")
  }

  private func model(at path: String) throws -> ImportedModel {
    switch try ModelLocation.open(path) {
    case .file(let file): try ModelImport.model(file.model, surroundings.linked(file))
    case .package(let package): try ModelImport.model(package.file.model, surroundings.linked(package.file))
    case .compiled: try CompiledModelLoader.load(path)
    }
  }
}

extension Function {
  fileprivate mutating func link(to file: String, in searchPath: String) {
    var structure = fileStructure
    structure?.linkedFile = file
    structure?.linkedSearchPath = searchPath
    fileStructure = structure
  }
}

extension ImportedModel {
  /// Returns the model with another linked model; see `LinkedModel`.
  package func relinked(to file: String?, in searchPath: String?, beside folder: String) throws -> ImportedModel {
    try LinkedModel.relinked(self, to: file, in: searchPath, beside: folder)
  }
}
