/// An error in a feature file: a stable code, and a sentence that names the file and the feature.
public struct FeatureFileError: Error, Sendable, CustomStringConvertible {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The contents are not valid.
    public static let invalid = Code(rawValue: "features.invalid")
    public static let unsupported = Code(rawValue: "features.unsupported")
    /// The input names a file, and the reader was given no source for files (`ImageSource.none`).
    public static let noImageSource = Code(rawValue: "features.no-image-source")
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
