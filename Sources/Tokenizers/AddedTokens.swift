/// A token that is found in a text before the model sees it, such as `<|end|>`.
struct AddedToken: Sendable {
  let id: Int
  let content: String
  /// Whether it is a control token, which `decode` can leave out.
  let isSpecial: Bool
  /// Whether it must not touch other characters of words.
  let isWord: Bool
  /// Whether it takes the spaces before or after it.
  let stripsLeft: Bool
  let stripsRight: Bool
  /// Whether it is found in the normalized text.
  let isNormalized: Bool

  init(_ component: Component) throws {
    id = try component.id("id")
    content = try component.string("content")
    isSpecial = try component.bool("special", default: false)
    isWord = try component.bool("single_word", default: false)
    stripsLeft = try component.bool("lstrip", default: false)
    stripsRight = try component.bool("rstrip", default: false)
    isNormalized = try component.bool("normalized", default: !isSpecial)
  }
}

/// Finds added tokens in a text: at each place the longest one.
struct AddedTokenIndex: Sendable {
  /// By the node and the next scalar.
  private var children: [UInt64: UInt32] = [:]
  private var tokens: [UInt32: AddedToken] = [:]
  private var count: UInt32 = 1

  /// - Throws: `TokenizerError` of code `.limit` if a token is too long: the time of a search grows with it.
  mutating func insert(_ content: [Unicode.Scalar], _ token: AddedToken) throws {
    guard !content.isEmpty else { return }
    guard content.count <= TokenizerLimits.token else {
      throw TokenizerError(
        .limit, "an added token has \(content.count) characters, expected at most \(TokenizerLimits.token)")
    }
    var node: UInt32 = 0
    for scalar in content {
      let key = UInt64(node) << 32 | UInt64(scalar.value)
      if let child = children[key] {
        node = child
      } else {
        children[key] = count
        node = count
        count += 1
      }
    }
    if tokens[node] == nil { tokens[node] = token }
  }

  /// The parts of a text in order: added tokens, and text between them.
  func parts(of text: [Unicode.Scalar]) -> [(range: Range<Int>, token: AddedToken?)] {
    guard !tokens.isEmpty else { return text.isEmpty ? [] : [(0..<text.count, nil)] }
    var parts: [(range: Range<Int>, token: AddedToken?)] = []
    var end = 0
    var at = 0
    while at < text.count {
      guard let (stop, token) = longest(text, at) else {
        at += 1
        continue
      }
      let found = at
      at = stop
      if token.isWord, touchesWord(text, found..<stop) { continue }
      var range = found..<stop
      if token.stripsLeft {
        var start = found
        while start > end, ScalarKind.isSpace(text[start - 1]) { start -= 1 }
        range = start..<stop
      }
      if token.stripsRight {
        var stop = stop
        while stop < text.count, ScalarKind.isSpace(text[stop]) { stop += 1 }
        range = range.lowerBound..<stop
      }
      // The spaces that the token before took may contain this one.
      guard range.lowerBound >= end else { continue }
      if end < range.lowerBound { parts.append((end..<range.lowerBound, nil)) }
      parts.append((range, token))
      end = range.upperBound
    }
    if end < text.count { parts.append((end..<text.count, nil)) }
    return parts
  }

  private func longest(_ text: [Unicode.Scalar], _ start: Int) -> (Int, AddedToken)? {
    var node: UInt32 = 0
    var found: (Int, AddedToken)?
    var at = start
    while at < text.count, let child = children[UInt64(node) << 32 | UInt64(text[at].value)] {
      node = child
      at += 1
      if let token = tokens[node] { found = (at, token) }
    }
    return found
  }

  private func touchesWord(_ text: [Unicode.Scalar], _ range: Range<Int>) -> Bool {
    (range.lowerBound > 0 && ScalarKind.isWord(text[range.lowerBound - 1]))
      || (range.upperBound < text.count && ScalarKind.isWord(text[range.upperBound]))
  }
}
