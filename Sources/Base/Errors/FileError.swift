/// An error of reading or writing a file: a stable code, and a sentence that says what was expected and what was found.
///
/// Modules that read a format add codes of their own in extensions of `Code`.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The stable name of a kind of error: for programs; `message` is for people.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    package init(_ rawValue: String) { self.rawValue = rawValue }
  }

  public let code: Code
  /// A sentence that says what was expected and what was found.
  public let message: String
  /// The file at fault; nil for bytes that came from memory.
  public let file: String?

  public init(_ code: Code, _ message: String, file: String? = nil) {
    self.code = code
    self.message = message
    self.file = file
  }

  public var description: String { file.map { "\($0): \(message)" } ?? message }
}

extension FileError.Code {
  /// The file cannot be opened, read or mapped.
  public static let unreadable = Self("unreadable")
  /// The path names a folder, a pipe or a device, and a file is needed.
  public static let notAFile = Self("notAFile")
  /// A range ends after the last byte.
  public static let outOfBounds = Self("outOfBounds")
  /// A file cannot be created, written or renamed to its place.
  public static let unwritable = Self("unwritable")
}
