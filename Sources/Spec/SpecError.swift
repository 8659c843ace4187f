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
