/// What is wrong with the bytes of a model, of its weights or of its package.
public struct SpecError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The stable name of a kind of damage: for programs; `message` is for people.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    init(_ rawValue: String) { self.rawValue = rawValue }
  }

  public let code: Code
  /// A sentence that says what was expected and what was found.
  public let message: String
  /// The file that the bytes came from; nil where they came from memory.
  public let file: String?

  public init(_ code: Code, _ message: String, file: String? = nil) {
    self.code = code
    self.message = message
    self.file = file
  }

  public var description: String { file.map { "\($0): \(message)" } ?? message }
}

extension SpecError.Code {
  /// The file cannot be opened, read or mapped.
  public static let unreadable = Self("unreadable")
  /// A folder, a pipe or a device stands where a file is needed.
  public static let notAFile = Self("notAFile")
  /// A range lies outside of the bytes that there are.
  public static let outOfBounds = Self("outOfBounds")

  /// A protobuf field ends after the message that holds it.
  public static let truncated = Self("truncated")
  /// A protobuf varint is longer than ten bytes or overflows 64 bits.
  public static let malformedVarint = Self("malformedVarint")
  /// A protobuf tag has field number 0, one too great, or a wire type that does not exist.
  public static let malformedTag = Self("malformedTag")
  /// A protobuf group; no Core ML message has one.
  public static let group = Self("group")
  /// A field is encoded in another way than its type asks for.
  public static let wrongWireType = Self("wrongWireType")
  /// Messages are nested deeper than `Message.depthLimit`.
  public static let tooDeep = Self("tooDeep")
  /// A string is not UTF-8.
  public static let invalidUTF8 = Self("invalidUTF8")
  /// An enumeration has a value that this version of the format does not know.
  public static let unknownEnumValue = Self("unknownEnumValue")
}

extension SpecError.Code {
  /// A file cannot be created, written or put in its place.
  public static let unwritable = Self("unwritable")
  /// A pointer, an archive or an empty file stands where a model or its weights should be.
  public static let standIn = Self("standIn")
  /// A weight file's header or one of its entries is not as the format has it.
  public static let malformedBlob = Self("malformedBlob")
  /// A weight file of another version than 2.
  public static let unsupportedBlobVersion = Self("unsupportedBlobVersion")
  /// A program names weights by a path outside of its model.
  public static let forbiddenPath = Self("forbiddenPath")
  /// The bytes are no Core ML model.
  public static let notAModel = Self("notAModel")
  /// A model of a newer format than this version reads.
  public static let unsupportedSpecificationVersion = Self("unsupportedSpecificationVersion")
  /// The manifest of a package is missing, is no JSON, or lacks what it must have.
  public static let malformedManifest = Self("malformedManifest")
  /// A package of a newer format than this version reads.
  public static let unsupportedPackageVersion = Self("unsupportedPackageVersion")
  /// A package lacks an item that its manifest lists.
  public static let missingItem = Self("missingItem")
  /// The description of a compiled model is missing or damaged.
  public static let malformedCompiledModel = Self("malformedCompiledModel")
  /// A model that was compiled and encrypted by Apple's tools: the key is bound to Apple's systems.
  public static let encrypted = Self("encrypted")
  /// A model that was compiled by Apple's tools, of a kind or with a part that is not read.
  public static let compiledByApple = Self("compiledByApple")
}
