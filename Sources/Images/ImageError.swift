/// An error of an image: a stable code and a sentence.
public struct ImageError: Error, Sendable, CustomStringConvertible {
  /// A stable code, which does not change between versions.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// An image is damaged, or an argument such as a size or a row length is invalid.
    public static let invalid = Code(rawValue: "image.invalid")
    /// The image may be valid, but this library cannot read or create its format.
    public static let unsupported = Code(rawValue: "image.unsupported")
    /// A file cannot be opened or read, or is not a regular file.
    public static let io = Code(rawValue: "image.io")
    /// Memory for the image cannot be allocated.
    public static let outOfMemory = Code(rawValue: "image.out-of-memory")
  }

  /// The kind of the error.
  public let code: Code
  /// One sentence.
  public let message: String

  /// Creates an error with a code and a sentence.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
