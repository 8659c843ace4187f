import CoreMLBase

/// An error in the bytes of a model, of its weights or of its package: a `FileError` with the codes of the formats.
package typealias SpecError = FileError

extension SpecError.Code {
  /// A protobuf field ends after the message that holds it.
  package static let truncated = Self("truncated")
  /// A protobuf varint has more than ten bytes, or overflows 64 bits.
  package static let malformedVarint = Self("malformedVarint")
  /// A protobuf tag has field number 0, a field number that is too large, or an undefined wire type.
  package static let malformedTag = Self("malformedTag")
  /// A protobuf group. No Core ML message has one.
  package static let group = Self("group")
  /// The wire type of a field does not match its type.
  package static let wrongWireType = Self("wrongWireType")
  /// Messages are nested deeper than `Message.depthLimit`.
  package static let tooDeep = Self("tooDeep")
  /// A string is not UTF-8.
  package static let invalidUTF8 = Self("invalidUTF8")
  /// An enumeration has a value that this version of the format does not define.
  package static let unknownEnumValue = Self("unknownEnumValue")
}

extension SpecError.Code {
  /// A pointer, an archive or an empty file stands where a model or its weights should be.
  package static let standIn = Self("standIn")
  /// The header or an entry of a weight file is malformed.
  package static let malformedBlob = Self("malformedBlob")
  /// A weight file with a version other than 2.
  package static let unsupportedBlobVersion = Self("unsupportedBlobVersion")
  /// A program refers to weights outside of its model's folder.
  package static let forbiddenPath = Self("forbiddenPath")
  /// The bytes are not a Core ML model.
  package static let notAModel = Self("notAModel")
  /// The model has a newer specification version than this library supports.
  package static let unsupportedSpecificationVersion = Self("unsupportedSpecificationVersion")
  /// The manifest of a package is missing, is not JSON, or lacks a required entry.
  package static let malformedManifest = Self("malformedManifest")
  /// The package has a newer format than this library supports.
  package static let unsupportedPackageVersion = Self("unsupportedPackageVersion")
  /// A package lacks an item that its manifest lists.
  package static let missingItem = Self("missingItem")
  /// The description of a compiled model is missing or damaged.
  package static let malformedCompiledModel = Self("malformedCompiledModel")
  /// A model compiled and encrypted by Apple's tools. The key is bound to Apple's systems.
  package static let encrypted = Self("encrypted")
  /// A model compiled by Apple's tools with an unsupported type or part.
  package static let compiledByApple = Self("compiledByApple")
}
