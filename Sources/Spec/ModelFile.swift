import CoreMLBase

/// A `.mlmodel` file: one serialized `Model` message of any model type, including ML programs.
package struct ModelFile: Sendable {
  /// The supported specification versions: 1 (iOS 11) to 10 (iOS 26).
  package static let specificationVersions: ClosedRange<Int32> = 1...10

  package let model: Specification.Model
  package let specificationVersion: Int32
  /// The folder for `@model_path`; nil for a model from memory.
  package let folder: String?

  /// Maps a file. Only the top-level fields are read.
  package static func open(_ path: String) throws -> ModelFile {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    return try ModelFile(try Bytes.mapping(file: path), folder: folder.isEmpty ? "/" : folder)
  }

  /// A model from its bytes. `folder` contains the weights of a program.
  package init(_ bytes: Bytes, folder: String? = nil) throws {
    try LFSPointer.refuse(bytes, expected: "a model")
    let model = Specification.Model(Message(bytes))
    let version: Int32
    let hasType: Bool
    do {
      version = try model.specificationVersion
      hasType = try model.message.member(of: Specification.Model.typeFields) != nil
    } catch let error as SpecError {
      throw SpecError(.notAModel, "expected a Core ML model; \(error.message)", file: bytes.file)
    }
    guard version >= Self.specificationVersions.lowerBound else {
      throw bytes.error(.notAModel, "expected a Core ML model, found bytes without a specification version")
    }
    guard version <= Self.specificationVersions.upperBound else {
      throw bytes.error(
        .unsupportedSpecificationVersion,
        "the model has specification version \(version), and the newest that is read is \(Self.specificationVersions.upperBound)"
      )
    }
    guard hasType else {
      throw bytes.error(.notAModel, "the model has none of the model types of specification version \(version)")
    }
    (self.model, specificationVersion, self.folder) = (model, version, folder)
  }

  /// The weight file with the name in `BlobFileValue.fileName`.
  package func blobFile(named name: String) throws -> BlobFile {
    guard let folder else {
      throw model.message.bytes.error(
        .forbiddenPath, "the model came from memory, and its weights are in the file \(name)")
    }
    let path = try Self.path(ofBlobFile: name, in: folder)
    guard PathKind(of: path) != .nothing else {
      throw SpecError(.missingItem, "the program's weights \(name) are missing", file: path)
    }
    return try BlobFile.open(path)
  }

  /// The path of a weight file: `@model_path/weights/weight.bin` is in `weights` of the model's folder. Paths outside
  /// of the folder are refused.
  package static func path(ofBlobFile name: String, in folder: String) throws -> String {
    let prefix = "@model_path/"
    guard name.hasPrefix(prefix), let path = RelativePath(String(name.dropFirst(prefix.count))) else {
      throw SpecError(
        .forbiddenPath, "expected weights in a file below \(prefix), found \(name.debugDescription)", file: folder)
    }
    return path.below(folder)
  }
}
