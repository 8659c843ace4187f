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

  /// The message about JSON that is one line or one word. JSON counts its own lines, and would name line 1.
  ///
  /// - Parameter column: The word for a place in the line.
  package func messageOfLine(column: String = "column") -> String {
    let start = "line 1, column "
    return message.hasPrefix(start) ? "\(column) \(message.dropFirst(start.count))" : message
  }
}
