// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// A model, and its description in C structures.
// Sendable: a model does its own locking, and the view is created once
final class ModelHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_model" }

  let model: MLModel
  let outputNames: [String]
  let view: ModelView

  init(_ model: MLModel) throws {
    self.model = model
    outputNames = model.modelDescription.outputs.map(\.name)
    view = try ModelView(model)
  }
}

@c @implementation
public func coreml_model_open(
  _ path: UnsafePointer<CChar>?, _ options: OpaquePointer?, _ model: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_model_open", error).make(model, "model") { call in
    let path = try call.path(path, "path")
    return try ModelHandle(MLModel(opening: path, configuration: try call.configuration(options)))
  }
}

@c @implementation
public func coreml_model_open_memory(
  _ data: UnsafeRawPointer?, _ size: Int, _ blobs: UnsafePointer<coreml_blob>?, _ blob_count: Int,
  _ options: OpaquePointer?, _ model: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_model_open_memory", error).make(model, "model") { call in
    let specification = try call.bytes(call.present(data, "data"), size, "data")
    var files: [URL: Data] = [:]
    for blob in try call.elements(blobs, blob_count, "blobs") {
      let name = try call.text(blob.name, "blobs[].name")
      guard let url = URL(string: name), files[url] == nil else {
        throw call.failure(.value, "'\(name)' is no name of a weight file, or is given twice")
      }
      files[url] = try call.bytes(blob.data, blob.size, "blobs[].data")
    }
    let asset = try MLModelAsset(specification: specification, blobMapping: files)
    return try ModelHandle(MLModel(asset: asset, configuration: try call.configuration(options)))
  }
}

@c @implementation
public func coreml_compile(
  _ path: UnsafePointer<CChar>?, _ destination: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_compile", error).run { call in
    let (path, destination) = (try call.path(path, "path"), try call.path(destination, "destination"))
    if let found = ReplaceableModel.obstacle(at: destination.path, to: "mlmodelc") {
      throw MLModelError(
        .io, "\(destination.path): expected nothing or a compiled model to replace, found \(found)",
        underlyingCode: "runtime.io")
    }
    let folder = try TemporaryFolder(beside: destination)
    let compiled = try MLModel.compileModel(at: path, into: folder.url)
    do { _ = try FileManager.default.replaceItemAt(destination, withItemAt: compiled) } catch {
      throw MLModelError(
        .io, "\(destination.path): the compiled model cannot be put there: \(error.localizedDescription)",
        underlyingCode: "runtime.io", underlying: error)
    }
  }
}

extension Call {
  func configuration(_ options: OpaquePointer?) throws -> MLModelConfiguration {
    try optional(options, "options", as: OptionsHandle.self)?.configuration(self) ?? MLModelConfiguration()
  }

  /// A copy of the caller's bytes.
  func bytes(_ pointer: UnsafeRawPointer?, _ size: Int, _ argument: StaticString) throws -> Data {
    Data(try elements(pointer?.assumingMemoryBound(to: UInt8.self), size, argument))
  }
}

/// A folder that is removed when the object is freed.
final class TemporaryFolder {
  let url: URL

  /// On the same file system as a path, so that its contents can be renamed to that path.
  init(beside path: URL) throws {
    url = path.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).partial")
    try make()
  }

  /// In the system's temporary directory.
  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "coreml-\(UUID().uuidString)")
    try make()
  }

  private func make() throws {
    do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false) } catch {
      throw MLModelError(
        .io, "\(url.path): no folder can be made there: \(error.localizedDescription)", underlyingCode: "runtime.io",
        underlying: error)
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
