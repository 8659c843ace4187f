/// Decodes tokens that arrive one by one. It holds back bytes that are no complete character yet.
///
/// The pieces of text together equal `Tokenizer.decode` of all tokens, unless a run of more than 64 tokens has no
/// complete character.
public struct TextStream {
  /// Tokens that may be held back.
  private static let longestRun = 64

  private let tokenizer: Tokenizer
  private let skipsSpecialTokens: Bool
  /// Tokens whose text is out, as context for those after them, then tokens whose text is not.
  private var window: [Int] = []
  /// The number of tokens in the window whose text is out.
  private var done = 0

  /// - Parameter skippingSpecialTokens: Whether control tokens are left out of the text.
  public init(_ tokenizer: Tokenizer, skippingSpecialTokens: Bool = true) {
    (self.tokenizer, skipsSpecialTokens) = (tokenizer, skippingSpecialTokens)
  }

  /// Adds a token. Returns the text that is complete now, which may be empty.
  public mutating func append(_ id: Int) throws -> String {
    window.append(id)
    return try take(isLast: false)
  }

  /// The text that was held back. An incomplete character becomes U+FFFD.
  public mutating func finish() throws -> String { try take(isLast: true) }

  private mutating func take(isLast: Bool) throws -> String {
    // Decoders treat the first token and neighbors of a token differently. So the text of a token is what it adds to
    // the tokens before it.
    let before = try text(window[..<done])
    let whole = try text(window[...])
    let isComplete = isLast || window.count - done > Self.longestRun || !whole.hasSuffix("\u{FFFD}".unicodeScalars)
    guard isComplete, whole.count > before.count, whole.starts(with: before) else { return "" }
    window.removeFirst(done)
    done = window.count
    return String(String.UnicodeScalarView(whole[before.count...]))
  }

  private func text(_ ids: ArraySlice<Int>) throws -> [Unicode.Scalar] {
    Array(try tokenizer.decode(Array(ids), skippingSpecialTokens: skipsSpecialTokens).unicodeScalars)
  }
}

extension [Unicode.Scalar] {
  fileprivate func hasSuffix(_ suffix: some BidirectionalCollection<Unicode.Scalar>) -> Bool {
    reversed().starts(with: suffix.reversed())
  }
}
