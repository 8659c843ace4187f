import CoreMLBase

/// An error of text generation: a stable code, and a sentence that says what was expected and what was found.
public struct GenerationError: Error, Sendable, CustomStringConvertible {
  /// The stable name of a kind of error.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The model's inputs and outputs are not those of a language model. The message names them.
    public static let unsupportedModel = Code(rawValue: "text.unsupported-model")
    /// The prompt is empty, or longer than the model's context.
    public static let invalidPrompt = Code(rawValue: "text.invalid-prompt")
    /// An option is out of range.
    public static let invalidOption = Code(rawValue: "text.invalid-option")
    /// A prediction returned no usable logits.
    public static let invalidLogits = Code(rawValue: "text.invalid-logits")
  }

  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  public var description: String { message }
}

extension GenerationError: CodedError {
  /// The domain of the error as an `NSError`.
  public static var errorDomain: String { "CoreMLTextGeneration.GenerationError" }

  /// Creates the error from its representation as an `NSError`.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message)
  }
}
