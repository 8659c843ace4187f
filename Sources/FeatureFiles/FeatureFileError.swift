/// What is wrong with a file of features: a stable code and a sentence that names file and feature.
public struct FeatureFileError: Error, Sendable, CustomStringConvertible {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The content cannot be read as what it should be.
    public static let invalid = Code(rawValue: "features.invalid")
    public static let unsupported = Code(rawValue: "features.unsupported")
    /// The file cannot be read.
    public static let unreadable = Code(rawValue: "features.unreadable")
    /// The file cannot be written.
    public static let unwritable = Code(rawValue: "features.unwritable")
  }

  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
