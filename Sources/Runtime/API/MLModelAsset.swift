import CoreMLImport
import CoreMLSpec
import Foundation

/// A model that need not be a file: a specification from memory with its weights, or a compiled model on disk.
///
/// What is in memory is read when it is loaded, as a compiled file is; nothing is written to disk.
// Sendable: immutable
public final class MLModelAsset: NSObject, @unchecked Sendable {
  private enum Source {
    case memory(Bytes, [String: Bytes])
    case compiled(URL)
    case compiledFiles([String: Bytes])
  }

  private let source: Source

  /// The bytes of a `.mlmodel` file: a serialized `Model` message.
  ///
  /// - Throws: `MLModelError` when they are none.
  public convenience init(specification data: Data) throws { try self.init(specification: data, blobMapping: [:]) }

  /// The same with the weight files that its program names, by the names it has for them, such as
  /// `@model_path/weights/weight.bin` (`BlobFileValue.fileName`).
  public init(specification data: Data, blobMapping: [URL: Data]) throws {
    let bytes = Bytes([UInt8](data))
    _ = try MLModelError.wrapping(.io) { try ModelFile(bytes) }
    source = .memory(
      bytes,
      Dictionary(
        blobMapping.map { (Self.blobName($0.key), Bytes([UInt8]($0.value))) }, uniquingKeysWith: { first, _ in first }))
    super.init()
  }

  /// A compiled model.
  public init(url compiledModelURL: URL) throws {
    source = .compiled(compiledModelURL)
    super.init()
  }

  /// A model that this project has compiled, from memory: its files by their paths.
  package init(compiledFiles: [String: Bytes]) {
    source = .compiledFiles(compiledFiles)
    super.init()
  }

  /// Names of the functions of a multifunction model; none for any other.
  public var functionNames: [String] {
    get async throws {
      try await offCaller {
        try MLModelError.wrapping(.generic) { try DescriptionReader(self.model().interface).functionNames() }
      }
    }
  }

  /// The description of the model, of its default function where it has several.
  public var modelDescription: MLModelDescription {
    get async throws { try await description(of: nil) }
  }

  /// The description of one function of a multifunction model.
  ///
  /// - Throws: `MLModelError` when there is no such function.
  public func modelDescription(of functionName: String) async throws -> MLModelDescription {
    try await description(of: functionName)
  }

  private func description(of function: String?) async throws -> MLModelDescription {
    try await offCaller {
      try MLModelError.wrapping(.generic) {
        let model = try self.model()
        let reader = try DescriptionReader(model.interface)
        let name = try reader.functionName(function)
        return try reader.description(function: name, labels: model.program.functions[name]?.classLabels)
      }
    }
  }

  /// The model, ready for planning.
  func model() throws -> ImportedModel {
    switch source {
    case .compiled(let url): return try CompiledModelLoader.load(url.path)
    case .compiledFiles(let files):
      return try CompiledBundle.read(files, named: "model in memory").verified("the model in memory")
    case .memory(let bytes, let blobs):
      let weights = WeightFiles { name in
        guard let content = blobs[name] else {
          throw RuntimeError(
            .invalidModel, "the program's weights are in '\(name)', and the blob mapping has \(blobs.keys.sorted())")
        }
        return try BlobFile(content)
      }
      return ModelCompiler.optimised(try ModelCompiler.source(ModelFile(bytes), weights: weights))
    }
  }

  /// A weight file's name as programs spell it, whichever way a URL was made of it.
  private static func blobName(_ url: URL) -> String {
    let path = url.isFileURL ? url.path : url.absoluteString.removingPercentEncoding ?? url.absoluteString
    return path.range(of: "@model_path/").map { String(path[$0.lowerBound...]) } ?? path
  }
}

extension MLModel {
  /// Loads a model from an asset in the background; the handler is called once.
  public class func load(
    _ asset: MLModelAsset, configuration: MLModelConfiguration = MLModelConfiguration(),
    completionHandler handler: @escaping @Sendable (Result<MLModel, any Error>) -> Void
  ) {
    let configuration = UncheckedSendable((configuration.copy() as? MLModelConfiguration) ?? configuration)
    DispatchQueue.global().async {
      handler(Result { try MLModel(asset: asset, configuration: configuration.value) })
    }
  }

  /// Loads a model from an asset without blocking the caller.
  public class func load(
    asset: MLModelAsset, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLModel {
    let configuration = UncheckedSendable((configuration.copy() as? MLModelConfiguration) ?? configuration)
    return try await offCaller { try MLModel(asset: asset, configuration: configuration.value) }
  }

  /// Loads a model from an asset.
  package convenience init(asset: MLModelAsset, configuration: MLModelConfiguration) throws {
    let model = try MLModelError.wrapping(.io) { try configuration.bounds().loading { try asset.model() } }
    try self.init(model, configuration: configuration)
  }
}
