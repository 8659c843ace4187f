import CoreMLBase
import CoreMLSpec
import CPlatform
import Foundation
import MIL

/// A model compiled by this project: a portable folder that is not modified after it was written.
///
/// ```
/// model.mil            the program as MIL text
/// weights/weight.bin   its large literals (MIL blob storage v2)
/// coremldata.bin       the model's description, as the specification's message
/// metadata.json        format marker, model type, how features map to the program
/// ```
package enum CompiledBundle {
  static let format = 1
  static let weightsPath = "@model_path/weights/weight.bin"

  /// The contents of `metadata.json`, in the first object of its array.
  struct Metadata: Codable {
    var coremlRuntimeFormat: Int
    var modelType: String
    var specificationVersion: Int
    var arrayMapping: ModelInterface.ShapeMapping
    var imageMapping: ModelInterface.ShapeMapping
    /// Omitted if false.
    var isUpdatable: Bool?
    /// Omitted if empty.
    var updateParameters: [UpdateParameter]?
    /// The SHA-256 of `weights/weight.bin`. Models compiled before this field existed do not have it.
    var weightsDigest: String?
  }

  // MARK: write

  /// Writes the model as a folder at `path`, atomically: all files are written to a temporary folder first.
  package static func write(_ model: ImportedModel, to path: String) throws {
    let manager = FileManager.default
    let partial = TemporaryName.path(beside: path)
    do {
      try manager.createDirectory(
        at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
      defer { try? manager.removeItem(atPath: partial) }
      // The process's umask may remove permissions from these modes.
      for folder in [partial, "\(partial)/weights"] where mkdir(folder, 0o755) != 0 {
        throw RuntimeError(.io, "the compiled model cannot be written: \(String(cString: strerror(errno)))", file: path)
      }
      var program = model.program
      var externalise = ExternaliseWeights(reference: weightsPath)
      try externalise(&program)
      let (weights, text) = (externalise, program)
      let digest = try together {
        try weights.write(to: "\(partial)/weights/weight.bin")
      } _: {
        try write(Array(MILText.print(text).utf8), to: "\(partial)/model.mil")
        return try weights.digest()
      }
      try write(model.interface.description.array, to: "\(partial)/coremldata.bin")
      let metadata = Metadata(
        coremlRuntimeFormat: format, modelType: model.interface.modelType,
        specificationVersion: model.interface.specificationVersion, arrayMapping: model.interface.arrayMapping,
        imageMapping: model.interface.imageMapping,
        isUpdatable: model.interface.isUpdatable ? true : nil,
        updateParameters: model.interface.updateParameters.isEmpty ? nil : model.interface.updateParameters,
        weightsDigest: digest)
      try write(encoded([metadata]), to: "\(partial)/metadata.json")
      // Makes the folder entries durable, once for all files.
      for file in ["\(partial)/weights/weight.bin", "\(partial)/metadata.json"]
      where !TemporaryName.synchronizeFolder(of: file) {
        throw RuntimeError(.io, "the compiled model cannot be written: \(String(cString: strerror(errno)))", file: path)
      }
      try replace(path, with: partial)
    } catch let error as CocoaError {
      throw RuntimeError(.io, "the compiled model cannot be written: \(reason(error))", file: path)
    }
  }

  /// The system's message for an error from Foundation.
  private static func reason(_ error: CocoaError) -> String {
    (error.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? error.localizedDescription
  }

  /// The size limit of `metadata.json` in bytes; readers reject larger files.
  private static let metadataLimit = 1 << 20

  static func encoded(_ metadata: [Metadata]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    // The range of a parameter may be unbounded, so infinities must be encodable.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let bytes = Array(try encoder.encode(metadata))
    guard bytes.count < metadataLimit else {
      throw RuntimeError(
        .unsupported,
        "the allowed values of the update parameters take \(bytes.count) bytes, expected less than \(metadataLimit)")
    }
    return bytes
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try FileWriter(path: path)
    try file.append(bytes)
    try file.commit(namingDurably: false)
  }

  /// Moves the finished folder to its destination in one step. An existing model is exchanged for it and then removed.
  private static func replace(_ path: String, with finished: String) throws {
    if let found = ReplaceableModel.obstacle(at: path, to: "mlmodelc") {
      throw RuntimeError(.io, "expected nothing or a compiled model to replace, found \(found)", file: path)
    }
    var failure = cplatform_rename_new(finished, path)
    if failure == EEXIST || failure == ENOTEMPTY {
      failure = cplatform_exchange(finished, path)
      if failure == 0 { try? FileManager.default.removeItem(atPath: finished) }
    }
    guard failure == 0 else {
      throw RuntimeError(
        .io, "the compiled model cannot be put in its place: \(String(cString: strerror(failure)))", file: path)
    }
  }

  // MARK: read

  /// Reads a folder written by `write`. Weights are mapped when they are first used.
  package static func read(_ path: String, weights: WeightFiles? = nil) throws -> ImportedModel {
    var (model, metadata) = try read(path, weights: weights ?? WeightFiles(folder: path)) {
      try Bytes.mapping(file: "\(path)/\($0)")
    }
    if weights == nil, metadata.isUpdatable != true, let digest = metadata.weightsDigest {
      model.weightFile = WeightsDigest.file("\(path)/weights/weight.bin", stated: digest)
    }
    return model
  }

  /// Reads the files that `write` would write from memory, by their paths. `path` is for error messages.
  package static func read(_ files: [String: Bytes], named path: String) throws -> ImportedModel {
    @Sendable func file(_ name: String) throws -> Bytes {
      guard let bytes = files[name] else {
        throw SpecError(.missingItem, "the compiled model has no \(name)", file: path)
      }
      return bytes
    }
    let weights = WeightFiles { name in
      // Applies the same path checks as for files on disk.
      _ = try ModelFile.path(ofBlobFile: name, in: path)
      return try BlobFile(file(String(name.dropFirst("@model_path/".count))))
    }
    return try read(path, weights: weights, file).model
  }

  private static func read(_ path: String, weights: WeightFiles, _ file: (String) throws -> Bytes) throws
    -> (model: ImportedModel, metadata: Metadata)
  {
    let metadata: Metadata
    do {
      let bytes = try file("metadata.json")
      guard bytes.count < metadataLimit else {
        throw RuntimeError(.invalidModel, "metadata.json has \(bytes.count) bytes", file: path)
      }
      let decoder = JSONDecoder()
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      guard let first = try decoder.decode([Metadata].self, from: Data(bytes.array)).first else {
        throw RuntimeError(.invalidModel, "metadata.json is empty", file: path)
      }
      metadata = first
    } catch let error as DecodingError {
      throw RuntimeError(.invalidModel, "metadata.json is not that of a compiled model (\(error))", file: path)
    }
    guard metadata.coremlRuntimeFormat == format else {
      throw RuntimeError(
        .unsupported, "the model was compiled in format \(metadata.coremlRuntimeFormat), this version reads \(format)",
        file: path)
    }
    let text = try file("model.mil")
    let program: Program
    do {
      program = try text.withUnsafeBytes { try MILText.parse($0, resolving: weights.tensor) }
    } catch let error as MILError where !error.isOfBounds {
      throw RuntimeError(.invalidModel, "\(error)", file: "\(path)/model.mil")
    }
    let interface = ModelInterface(
      description: try file("coremldata.bin"),
      specificationVersion: metadata.specificationVersion, modelType: metadata.modelType,
      isUpdatable: metadata.isUpdatable ?? false,
      updateParameters: metadata.updateParameters ?? [], arrayMapping: metadata.arrayMapping,
      imageMapping: metadata.imageMapping)
    return (ImportedModel(program: program, interface: interface), metadata)
  }
}
