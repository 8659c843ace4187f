import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation

/// A model to load: a specification and its weights in memory, or a compiled model on disk.
///
/// Models in memory are read when they are loaded, like compiled files. Nothing is written to disk.
// Sendable: immutable
open class MLModelAsset: NSObject, @unchecked Sendable {
  private enum Source {
    case memory(Bytes, [String: Bytes])
    case compiled(URL)
    case compiledFiles([String: Bytes])
  }

  private let source: Source

  /// Creates an asset from the bytes of a `.mlmodel` file, a serialized `Model` message.
  ///
  /// - Throws: `MLModelError` if the bytes are not such a message.
  public convenience init(specification data: Data) throws { try self.init(specification: data, blobMapping: [:]) }

  /// Creates an asset from the bytes of a `.mlmodel` file and the weight files that its program names. The keys are
  /// paths relative to the model, for example `weights/weight.bin`. The name in the program (`BlobFileValue.fileName`),
  /// for example `@model_path/weights/weight.bin`, is accepted too.
  ///
  /// A key is a relative URL, or a file URL whose path ends with that path.
  public init(specification data: Data, blobMapping: [URL: Data]) throws {
    let bytes = Bytes([UInt8](data))
    _ = try MLModelError.wrapping(.io) { try ModelFile(bytes) }
    source = .memory(
      bytes,
      Dictionary(
        blobMapping.map { (Self.blobName($0.key), Bytes([UInt8]($0.value))) }, uniquingKeysWith: { first, _ in first }))
    super.init()
  }

  /// Creates an asset from a compiled model on disk, which is read when it is loaded.
  ///
  /// - Throws: `MLModelError` with the code `io` if there is no compiled model at the URL.
  public init(url compiledModelURL: URL) throws {
    try MLModelError.wrapping(.io, inputs: .io) {
      guard case .compiled = try ModelLocation.open(compiledModelURL.path) else {
        throw RuntimeError(.io, "this is no compiled model", file: compiledModelURL.path)
      }
    }
    source = .compiled(compiledModelURL)
    super.init()
  }

  /// Creates an asset from a model in memory that this project compiled: its files by their paths.
  package init(compiledFiles: [String: Bytes]) {
    source = .compiledFiles(compiledFiles)
    super.init()
  }

  /// The names of the functions of a multifunction model; empty for any other.
  public var functionNames: [String] {
    get async throws { try await offCaller { try self.names() } }
  }

  /// Gets the function names in the background. The handler is called once, on a system queue, with the names or an
  /// error.
  public func functionNames(completionHandler handler: @escaping ([String]?, (any Error)?) -> Void) {
    MLModel.inBackground({ $0.tell(handler) }) { try self.names() }
  }

  private func names() throws -> [String] {
    try MLModelError.wrapping(.generic) { try DescriptionReader(self.model().interface).functionNames() }
  }

  /// The description of the model. For a multifunction model, the description of its default function.
  public var modelDescription: MLModelDescription {
    get async throws { try await offCaller { try self.description(of: nil) } }
  }

  /// Gets the description in the background. The handler is called once, on a system queue, with the description or an
  /// error.
  public func modelDescription(completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void) {
    MLModel.inBackground({ $0.tell(handler) }) { try self.description(of: nil) }
  }

  /// Gets the description of one function in the background. The handler is called once, on a system queue.
  public func modelDescription(
    ofFunctionNamed functionName: String,
    completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void
  ) {
    MLModel.inBackground({ $0.tell(handler) }) { try self.description(of: functionName) }
  }

  /// The description of one function of a multifunction model.
  ///
  /// - Throws: `MLModelError` if the function does not exist.
  public func modelDescription(of functionName: String) async throws -> MLModelDescription {
    try await offCaller { try self.description(of: functionName) }
  }

  private func description(of function: String?) throws -> MLModelDescription {
    try MLModelError.wrapping(.generic, inputs: .generic) {
      let model = try self.model()
      let reader = try DescriptionReader(model.interface)
      let name = try reader.functionName(function)
      return try reader.description(function: name, labels: model.program.functions[name]?.classLabels(of:))
    }
  }

  /// Returns the imported model, ready for planning.
  func model() throws -> ImportedModel {
    switch source {
    case .compiled(let url): return try CompiledModelLoader.load(url.path)
    case .compiledFiles(let files):
      return try CompiledBundle.read(files, named: "model in memory").verified("the model in memory")
    case .memory(let bytes, let blobs):
      let weights = WeightFiles { name in
        guard let content = Self.content(name, of: blobs) else {
          throw RuntimeError(
            .invalidModel, "the program's weights are in '\(name)', and the blob mapping has \(blobs.keys.sorted())")
        }
        return try BlobFile(content)
      }
      return try ModelCompiler.optimised(ModelCompiler.source(ModelFile(bytes), weights: weights))
    }
  }

  /// Returns the contents of a weight file by its name in the program.
  private static func content(_ name: String, of blobs: [String: Bytes]) -> Bytes? {
    if let content = blobs[name] { return content }
    guard name.hasPrefix("@model_path/") else { return nil }
    let path = String(name.dropFirst("@model_path/".count))
    if let content = blobs[path] { return content }
    let found = blobs.filter { $0.key.hasSuffix("/\(path)") }
    return found.count == 1 ? found.first?.value : nil
  }

  /// The path in a key, independent of how its URL was created.
  private static func blobName(_ url: URL) -> String {
    let path = url.isFileURL ? url.path : url.absoluteString.removingPercentEncoding ?? url.absoluteString
    return path.range(of: "@model_path/").map { String(path[$0.lowerBound...]) } ?? path
  }
}

extension MLModel {
  /// Loads a model from an asset in the background. The handler is called once, on a system queue, with the model or an
  /// error.
  public class func load(
    _ asset: MLModelAsset, configuration: MLModelConfiguration = MLModelConfiguration(),
    completionHandler handler: @escaping (MLModel?, (any Error)?) -> Void
  ) {
    let configuration = configuration.copied
    inBackground({ $0.tell(handler) }) { try MLModel(asset: asset, configuration: configuration) }
  }

  /// Loads a model from an asset without blocking the caller.
  public class func load(
    asset: MLModelAsset, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLModel {
    let configuration = configuration.copied
    return try await offCaller { try MLModel(asset: asset, configuration: configuration) }
  }

  /// Loads a model from an asset.
  package convenience init(asset: MLModelAsset, configuration: MLModelConfiguration) throws {
    let model = try MLModelError.wrapping(.io, inputs: .io) { try configuration.bounds().loading { try asset.model() } }
    try self.init(model, configuration: configuration)
  }
}

extension Result {
  /// Calls a handler that takes an optional value and an optional error.
  func tell(_ handler: (Success?, (any Error)?) -> Void) {
    switch self {
    case .success(let value): handler(value, nil)
    case .failure(let error): handler(nil, error)
    }
  }
}
