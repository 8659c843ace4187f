/// What is wrong with an image: a stable code and a sentence.
public struct ImageError: Error, Sendable, CustomStringConvertible {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let invalid = Code(rawValue: "image.invalid")
    public static let unsupported = Code(rawValue: "image.unsupported")
    public static let io = Code(rawValue: "image.io")
    public static let outOfMemory = Code(rawValue: "image.out-of-memory")
  }

  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
