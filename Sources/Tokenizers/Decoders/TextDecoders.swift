/// Replaces sentencepiece's character by spaces.
struct MetaspaceDecoder: Decoder {
  let space: [UInt8]
  /// Whether the first token loses its spaces, which the pre-tokenizer added.
  let dropsFirst: Bool

  func decode(_ tokens: [[UInt8]]) -> [[UInt8]] {
    tokens.enumerated().map { place, token in
      replacing(space, in: token, by: place == 0 && dropsFirst ? [] : [0x20])
    }
  }
}

/// Replaces what matches a pattern, in each token.
struct ReplaceDecoder: Decoder {
  let normalizer: ReplaceNormalizer

  func decode(_ tokens: [[UInt8]]) throws -> [[UInt8]] {
    var length = 0
    return try tokens.map { token in
      let scalars = Array(String(decoding: token, as: UTF8.self).unicodeScalars)
      let decoded = try normalizer.normalize(NormalizedText(scalars: scalars, starts: 0)).scalars.bytes
      length += decoded.count
      try TokenizerLimits.check(changedText: length)
      return decoded
    }
  }
}

/// Removes a character from the ends of each token, up to given numbers.
struct StripDecoder: Decoder {
  let scalar: Unicode.Scalar
  let start: Int
  let stop: Int

  func decode(_ tokens: [[UInt8]]) -> [[UInt8]] {
    tokens.map { token in
      var scalars = Array(String(decoding: token, as: UTF8.self).unicodeScalars)[...]
      var (front, back) = (start, stop)
      while front > 0, scalars.first == scalar { (front, scalars) = (front - 1, scalars.dropFirst()) }
      while back > 0, scalars.last == scalar { (back, scalars) = (back - 1, scalars.dropLast()) }
      return scalars.bytes
    }
  }
}

/// Joins the tokens of a word, and puts spaces between words.
struct WordPieceDecoder: Decoder {
  let prefix: [UInt8]
  /// Whether spaces before punctuation and contractions are removed.
  let cleansUp: Bool

  private static let replacements: [([UInt8], [UInt8])] = [
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
  ].map { (Array($0.utf8), Array($1.utf8)) }

  func decode(_ tokens: [[UInt8]]) -> [[UInt8]] {
    tokens.enumerated().map { place, token in
      var text = token
      if place > 0 {
        if token.starts(with: prefix) { text.removeFirst(prefix.count) } else { text.insert(0x20, at: 0) }
      }
      guard cleansUp else { return text }
      return Self.replacements.reduce(text) { replacing($1.0, in: $0, by: $1.1) }
    }
  }
}

/// Replaces the suffix of the last token of a word by a space.
struct SuffixDecoder: Decoder {
  let suffix: [UInt8]

  func decode(_ tokens: [[UInt8]]) -> [[UInt8]] {
    tokens.enumerated().map { place, token in
      replacing(suffix, in: token, by: place == tokens.count - 1 ? [] : [0x20])
    }
  }
}

/// Replaces all occurrences of a text, from left to right.
private func replacing(_ part: [UInt8], in text: [UInt8], by replacement: [UInt8]) -> [UInt8] {
  guard !part.isEmpty, text.count >= part.count else { return text }
  var changed: [UInt8] = []
  var at = 0
  while at < text.count {
    if text[at] == part[0], text[at...].starts(with: part) {
      changed += replacement
      at += part.count
    } else {
      changed.append(text[at])
      at += 1
    }
  }
  return changed
}
