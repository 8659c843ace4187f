/// What is wrong with an image: a stable code and a sentence.
public struct ImageError: Error, Sendable, CustomStringConvertible {
  /// A code, which stays the same from version to version.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A picture is damaged, or a size, a row or another argument is one that no picture has.
    public static let invalid = Code(rawValue: "image.invalid")
    /// The picture may be sound, but nothing here reads or makes its kind.
    public static let unsupported = Code(rawValue: "image.unsupported")
    /// A file cannot be opened or read, or is no regular file.
    public static let io = Code(rawValue: "image.io")
    /// There is no memory for the picture.
    public static let outOfMemory = Code(rawValue: "image.out-of-memory")
  }

  /// What kind of error it is.
  public let code: Code
  /// One sentence.
  public let message: String

  /// An error of a kind, with a sentence that says what is wrong.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
