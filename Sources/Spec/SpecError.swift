import CoreMLBase

/// An error in the bytes of a model, of its weights or of its package: a `FileError` with the codes of the formats.
package typealias SpecError = FileError

extension SpecError.Code {
  /// A protobuf field ends after the message that holds it.
  package static let truncated = Self("truncated")
  /// A protobuf varint is longer than ten bytes or overflows 64 bits.
  package static let malformedVarint = Self("malformedVarint")
  /// A protobuf tag has field number 0, one too great, or a wire type that does not exist.
  package static let malformedTag = Self("malformedTag")
  /// A protobuf group; no Core ML message has one.
  package static let group = Self("group")
  /// A field is encoded in another way than its type asks for.
  package static let wrongWireType = Self("wrongWireType")
  /// Messages are nested deeper than `Message.depthLimit`.
  package static let tooDeep = Self("tooDeep")
  /// A string is not UTF-8.
  package static let invalidUTF8 = Self("invalidUTF8")
  /// An enumeration has a value that this version of the format does not know.
  package static let unknownEnumValue = Self("unknownEnumValue")
}

extension SpecError.Code {
  /// A pointer, an archive or an empty file stands where a model or its weights should be.
  package static let standIn = Self("standIn")
  /// A weight file's header or one of its entries is not as the format has it.
  package static let malformedBlob = Self("malformedBlob")
  /// A weight file of another version than 2.
  package static let unsupportedBlobVersion = Self("unsupportedBlobVersion")
  /// A program names weights by a path outside of its model.
  package static let forbiddenPath = Self("forbiddenPath")
  /// The bytes are no Core ML model.
  package static let notAModel = Self("notAModel")
  /// A model of a newer format than this version reads.
  package static let unsupportedSpecificationVersion = Self("unsupportedSpecificationVersion")
  /// The manifest of a package is missing, is no JSON, or lacks what it must have.
  package static let malformedManifest = Self("malformedManifest")
  /// A package of a newer format than this version reads.
  package static let unsupportedPackageVersion = Self("unsupportedPackageVersion")
  /// A package lacks an item that its manifest lists.
  package static let missingItem = Self("missingItem")
  /// The description of a compiled model is missing or damaged.
  package static let malformedCompiledModel = Self("malformedCompiledModel")
  /// A model that was compiled and encrypted by Apple's tools: the key is bound to Apple's systems.
  package static let encrypted = Self("encrypted")
  /// A model that was compiled by Apple's tools, of a kind or with a part that is not read.
  package static let compiledByApple = Self("compiledByApple")
}
