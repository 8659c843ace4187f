import CoreMLBase

/// The model at a path: a model file, a package or a compiled model. The contents determine which, not the name.
package enum ModelLocation: Sendable {
  case file(ModelFile)
  case package(ModelPackage)
  case compiled(CompiledModel)

  package static func open(_ path: String) throws -> ModelLocation {
    switch PathKind(of: path) {
    case .nothing: throw SpecError(.unreadable, "expected a model, found no such file or folder", file: path)
    case .other: throw SpecError(.notAFile, "expected a model, found a pipe, a socket or a device", file: path)
    case .file: return .file(try ModelFile.open(path))
    case .folder:
      let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      if PathKind(of: "\(folder)/Manifest.json") == .file { return .package(try ModelPackage.open(folder)) }
      if let compiled = try CompiledModel(recognising: folder) { return .compiled(compiled) }
      throw SpecError(
        .notAModel,
        "expected a model; the folder has neither the Manifest.json of a package nor the coremldata.bin of a compiled model",
        file: path)
    }
  }
}
