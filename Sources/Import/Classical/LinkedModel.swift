import CoreMLSpec
import Foundation
import MIL

/// A model that stands for another one in a file beside it (LinkedModel.proto): compiling takes the other one in.
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
      return try Pipeline(description, surroundings).program([model(at: place)])
    }
    throw RuntimeError(.io, "the linked model '\(name)' is in none of the folders '\(paths.isEmpty ? "." : paths)'")
  }

  /// Only folders below the model's own are searched: a model file does not choose what else is read.
  private func place(_ path: String, _ name: String, _ folder: String) throws -> String {
    let isHere = path.isEmpty || path == "."
    guard let relative = RelativePath(isHere ? name : "\(path)/\(name)"), !path.hasPrefix("$") else {
      throw RuntimeError(
        .unsupported,
        "the linked model '\(name)' is searched for in '\(path)'; put it into the folder of the model that links to it")
    }
    return relative.below(folder)
  }

  private func model(at path: String) throws -> ImportedModel {
    switch try ModelLocation.open(path) {
    case .file(let file): try ModelImport.model(file.model, surroundings.linked(file))
    case .package(let package): try ModelImport.model(package.file.model, surroundings.linked(package.file))
    case .compiled: try CompiledModelLoader.load(path)
    }
  }
}
