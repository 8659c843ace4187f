import CoreMLBase

/// An error of a tokenizer: a stable code, and a sentence that says what was expected and what was found.
public struct TokenizerError: Error, Sendable, CustomStringConvertible {
  /// The stable name of a kind of error.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file cannot be read.
    public static let unreadable = Code(rawValue: "tokenizer.unreadable")
    /// The file is not a valid `tokenizer.json`.
    public static let invalid = Code(rawValue: "tokenizer.invalid")
    /// The file uses a component or an option that is not supported. The message names it.
    public static let unsupported = Code(rawValue: "tokenizer.unsupported")
    /// A file, a text or the work on a text exceeds a limit.
    public static let limit = Code(rawValue: "tokenizer.limit")
    /// The text contains something that the vocabulary cannot express, and the file names no token for it.
    public static let unknownText = Code(rawValue: "tokenizer.unknown-text")
  }

  public let code: Code
  public let message: String
  /// The file that caused the error, if any.
  public var file: String?

  public init(_ code: Code, _ message: String, file: String? = nil) {
    (self.code, self.message, self.file) = (code, message, file)
  }

  public var description: String { file.map { "\($0): \(message)" } ?? message }
}

extension TokenizerError: CodedError {
  /// The domain of the error as an `NSError`.
  public static var errorDomain: String { "CoreMLTokenizers.TokenizerError" }

  /// Creates the error from its representation as an `NSError`.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message, file: file)
  }
}
