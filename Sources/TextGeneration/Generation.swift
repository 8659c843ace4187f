/// Text that a model generated.
public struct Generation: Sendable {
  /// Why a text ended.
  public enum FinishReason: String, Sendable {
    /// A stop token, such as the end of a text.
    case stopToken
    /// A stop sequence.
    case stopSequence
    /// The limit of generated tokens.
    case maximumTokens
    /// The model's context is full.
    case contextFull
  }

  public internal(set) var text = ""
  /// The generated tokens, without a stop token.
  public internal(set) var tokens: [Int] = []
  /// The tokens of the prompt.
  public internal(set) var promptTokens: [Int] = []
  public internal(set) var finishReason = FinishReason.maximumTokens
  /// The seed of the random choices; nil if the likeliest tokens were chosen.
  public internal(set) var seed: UInt64?
  /// The time of the prediction that read the prompt, in seconds.
  public internal(set) var promptSeconds = 0.0
  /// The time of the predictions after the first token, in seconds.
  public internal(set) var decodeSeconds = 0.0
  /// The number of those predictions.
  public internal(set) var decodeSteps = 0

  /// Tokens of the prompt per second.
  public var promptTokensPerSecond: Double { promptSeconds > 0 ? Double(promptTokens.count) / promptSeconds : 0 }
  /// Generated tokens per second, without the first.
  public var decodeTokensPerSecond: Double { decodeSeconds > 0 ? Double(decodeSteps) / decodeSeconds : 0 }
}
