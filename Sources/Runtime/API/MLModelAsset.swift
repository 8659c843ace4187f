import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation

/// A model that need not be a file: a specification from memory with its weights, or a compiled model on disk.
///
/// What is in memory is read when it is loaded, as a compiled file is; nothing is written to disk.
// Sendable: immutable
open class MLModelAsset: NSObject, @unchecked Sendable {
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

  /// The same with the weight files that its program names, by their paths below the model, such as `weights/weight.bin`. The name that the
  /// program has for a file, such as `@model_path/weights/weight.bin` (`BlobFileValue.fileName`), serves too.
  ///
  /// A key is a relative URL, or a file URL whose path ends so.
  public init(specification data: Data, blobMapping: [URL: Data]) throws {
    let bytes = Bytes([UInt8](data))
    _ = try MLModelError.wrapping(.io) { try ModelFile(bytes) }
    source = .memory(
      bytes,
      Dictionary(
        blobMapping.map { (Self.blobName($0.key), Bytes([UInt8]($0.value))) }, uniquingKeysWith: { first, _ in first }))
    super.init()
  }

  /// A compiled model, read when it is loaded.
  ///
  /// - Throws: `MLModelError` with the code `io` when there is no compiled model.
  public init(url compiledModelURL: URL) throws {
    try MLModelError.wrapping(.io, inputs: .io) {
      guard case .compiled = try ModelLocation.open(compiledModelURL.path) else {
        throw RuntimeError(.io, "this is no compiled model", file: compiledModelURL.path)
      }
    }
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
    get async throws { try await offCaller { try self.names() } }
  }

  /// The same in the background; the handler is called once, on a queue of the system, with the names or an error.
  public func functionNames(completionHandler handler: @escaping ([String]?, (any Error)?) -> Void) {
    MLModel.inBackground({ $0.tell(handler) }) { try self.names() }
  }

  private func names() throws -> [String] {
    try MLModelError.wrapping(.generic) { try DescriptionReader(self.model().interface).functionNames() }
  }

  /// The description of the model, of its default function where it has several.
  public var modelDescription: MLModelDescription {
    get async throws { try await offCaller { try self.description(of: nil) } }
  }

  /// The same in the background; the handler is called once, on a queue of the system, with the description or an error.
  public func modelDescription(completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void) {
    MLModel.inBackground({ $0.tell(handler) }) { try self.description(of: nil) }
  }

  /// The description of one function in the background; the handler is called once, on a queue of the system.
  public func modelDescription(
    ofFunctionNamed functionName: String,
    completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void
  ) {
    MLModel.inBackground({ $0.tell(handler) }) { try self.description(of: functionName) }
  }

  /// The description of one function of a multifunction model.
  ///
  /// - Throws: `MLModelError` when there is no such function.
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

  /// The model, ready for planning.
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

  /// The file of a name as programs spell it.
  private static func content(_ name: String, of blobs: [String: Bytes]) -> Bytes? {
    if let content = blobs[name] { return content }
    guard name.hasPrefix("@model_path/") else { return nil }
    let path = String(name.dropFirst("@model_path/".count))
    if let content = blobs[path] { return content }
    let found = blobs.filter { $0.key.hasSuffix("/\(path)") }
    return found.count == 1 ? found.first?.value : nil
  }

  /// What a key says, whichever way a URL was made of it.
  private static func blobName(_ url: URL) -> String {
    let path = url.isFileURL ? url.path : url.absoluteString.removingPercentEncoding ?? url.absoluteString
    return path.range(of: "@model_path/").map { String(path[$0.lowerBound...]) } ?? path
  }
}

extension MLModel {
  /// Loads a model from an asset in the background; the handler is called once, on a queue of the system, with the model or an error.
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
  /// Hands the value or the error to a handler that takes both.
  func tell(_ handler: (Success?, (any Error)?) -> Void) {
    switch self {
    case .success(let value): handler(value, nil)
    case .failure(let error): handler(nil, error)
    }
  }
}
