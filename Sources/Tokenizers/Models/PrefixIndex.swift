/// Finds the tokens that a text starts with. It holds the tokens in the order of their bytes.
struct PrefixIndex: Sendable {
  private let tokens: [(bytes: [UInt8], id: Int32)]
  /// The first token that starts with each byte, and the end of the last range.
  private let starts: [Int]

  /// - Throws: `TokenizerError` of code `.limit` if a token is too long: the time of a search grows with it.
  init(_ all: some Sequence<(key: [UInt8], value: Int32)>) throws {
    let sorted = all.filter { !$0.key.isEmpty }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    if let long = sorted.first(where: { $0.key.count > TokenizerLimits.token }) {
      throw TokenizerError(
        .limit, "a token of the vocabulary has \(long.key.count) bytes, expected at most \(TokenizerLimits.token)")
    }
    tokens = sorted.map { ($0.key, $0.value) }
    var starts = [Int](repeating: 0, count: 257)
    for token in sorted { starts[Int(token.key[0]) + 1] += 1 }
    for byte in 0..<256 { starts[byte + 1] += starts[byte] }
    self.starts = starts
  }

  /// Calls `body` with each token that `text` has at `start`, and its end: the shortest first.
  func forEachPrefix(of text: [UInt8], from start: Int, _ body: (Int32, Int) -> Void) {
    guard start < text.count else { return }
    var (low, high) = (starts[Int(text[start])], starts[Int(text[start]) + 1])
    var depth = 1
    while low < high {
      // A token that ends here precedes those that it is a prefix of.
      if tokens[low].bytes.count == depth {
        body(tokens[low].id, start + depth)
        low += 1
      }
      guard start + depth < text.count, low < high else { return }
      let byte = text[start + depth]
      let first = bound(low, high) { tokens[$0].bytes[depth] >= byte }
      (low, high) = (first, bound(first, high) { tokens[$0].bytes[depth] > byte })
      depth += 1
    }
  }

  /// The first place for which a condition holds, if it holds for all places after it.
  private func bound(_ low: Int, _ high: Int, _ holds: (Int) -> Bool) -> Int {
    var (low, high) = (low, high)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
