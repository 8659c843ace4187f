import CoreMLTextGeneration
import Foundation

/// The result of `generate-text --json`.
struct TextReport: Encodable {
  let text: String
  let tokens: [Int]
  let promptTokens: [Int]
  /// stopToken, stopSequence, maximumTokens or contextFull.
  let finishReason: String
  /// The seed of random choices as text, since not every reader of JSON keeps 64 bits.
  let seed: String?
  let promptSeconds: Double
  let decodeSeconds: Double
  let promptTokensPerSecond: Double
  let decodeTokensPerSecond: Double

  init(_ result: Generation) {
    (text, tokens, promptTokens) = (result.text, result.tokens, result.promptTokens)
    finishReason = result.finishReason.rawValue
    seed = result.seed.map { "\($0)" }
    (promptSeconds, decodeSeconds) = (result.promptSeconds, result.decodeSeconds)
    (promptTokensPerSecond, decodeTokensPerSecond) = (result.promptTokensPerSecond, result.decodeTokensPerSecond)
  }

  /// One line for standard error.
  static func summary(_ result: Generation) -> String {
    let reason =
      switch result.finishReason {
      case .stopToken: "end token"
      case .stopSequence: "stop text"
      case .maximumTokens: "most tokens reached"
      case .contextFull: "context full"
      }
    return String(
      format: "prompt %d tokens, %.1f tokens/s; generated %d tokens, %.1f tokens/s; %@", result.promptTokens.count,
      result.promptTokensPerSecond, result.tokens.count, result.decodeTokensPerSecond, reason)
      + (result.seed.map { "; seed \($0)" } ?? "")
  }
}
