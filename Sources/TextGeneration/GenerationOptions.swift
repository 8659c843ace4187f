/// How text is generated. The names are those of Apple's Foundation Models framework, where it has them.
public struct GenerationOptions: Sendable, Equatable {
  /// How the next token is chosen.
  public struct SamplingMode: Sendable, Equatable {
    /// The number of likeliest tokens to choose from; nil for all.
    let top: Int?
    /// The sum of probabilities of the likeliest tokens to choose from; nil for all.
    let probabilityThreshold: Double?
    let seed: UInt64?
    let isGreedy: Bool

    /// The likeliest token, and of several the one with the lowest id.
    public static let greedy = SamplingMode(top: nil, probabilityThreshold: nil, seed: nil, isGreedy: true)

    /// A random token by its probability.
    ///
    /// - Parameters:
    ///   - top: Choose from this number of the likeliest tokens.
    ///   - probabilityThreshold: Choose from the fewest tokens whose probabilities together reach this sum.
    ///   - seed: A seed that makes the choices reproducible; random if nil.
    public static func random(
      top: Int? = nil, probabilityThreshold: Double? = nil, seed: UInt64? = nil
    ) -> SamplingMode {
      SamplingMode(top: top, probabilityThreshold: probabilityThreshold, seed: seed, isGreedy: false)
    }
  }

  public var sampling: SamplingMode
  /// Divides the logits before a random choice. Lower values make likely tokens likelier; nil is 1.
  public var temperature: Double?
  /// The limit of generated tokens.
  public var maximumResponseTokens: Int
  /// The limit of tokens of the prompt and the response; nil for the limit of the model.
  public var maximumContextTokens: Int?
  /// Texts that end the response. They are no part of it.
  public var stopSequences: [String]
  /// Tokens that end the response, in addition to those of the generator. They are no part of it.
  public var stopTokens: Set<Int>

  public init(
    sampling: SamplingMode = .greedy, temperature: Double? = nil, maximumResponseTokens: Int = 256,
    maximumContextTokens: Int? = nil, stopSequences: [String] = [], stopTokens: Set<Int> = []
  ) {
    (self.sampling, self.temperature) = (sampling, temperature)
    (self.maximumResponseTokens, self.maximumContextTokens) = (maximumResponseTokens, maximumContextTokens)
    (self.stopSequences, self.stopTokens) = (stopSequences, stopTokens)
  }

  /// - Throws: `GenerationError` of code `.invalidOption`.
  func validate() throws {
    func require(_ holds: Bool, _ sentence: String) throws {
      guard holds else { throw GenerationError(.invalidOption, sentence) }
    }
    if let top = sampling.top { try require(top >= 1, "top is \(top), expected 1 or more") }
    if let sum = sampling.probabilityThreshold {
      try require(sum > 0 && sum <= 1, "probabilityThreshold is \(sum), expected more than 0 and at most 1")
    }
    if let temperature {
      try require(temperature > 0 && temperature.isFinite, "temperature is \(temperature), expected more than 0")
    }
    try require(maximumResponseTokens >= 0, "maximumResponseTokens is \(maximumResponseTokens), expected 0 or more")
    if let most = maximumContextTokens { try require(most >= 1, "maximumContextTokens is \(most), expected 1 or more") }
    try require(!stopSequences.contains(""), "a stop sequence is empty")
  }
}
