import CoreMLImport
import CoreMLSpec
import Foundation

extension MLModel {
  /// Loads a model from a file, package or compiled folder. A file or package is compiled in memory; nothing is written
  /// to disk.
  package convenience init(opening url: URL, configuration: MLModelConfiguration) throws {
    let model = try MLModelError.wrapping(.io, inputs: .io) {
      try configuration.bounds().loading {
        if case .compiled = try ModelLocation.open(url.path) { return try CompiledModelLoader.load(url.path) }
        return try ModelCompiler.optimised(ModelCompiler.source(url))
      }
    }
    try self.init(model, configuration: configuration)
  }

  /// The names of the functions of a multifunction model; empty for any other.
  package var functionNames: [String] {
    get throws { try MLModelError.wrapping(.generic) { try DescriptionReader(interface).functionNames() } }
  }

  /// The name of the function that the model was loaded with.
  package var functionName: String {
    get throws {
      try MLModelError.wrapping(.generic, inputs: .generic) {
        try DescriptionReader(interface).functionName(configuration.functionName)
      }
    }
  }
}
