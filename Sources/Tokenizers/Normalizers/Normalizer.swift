/// A text on its way through the normalizers.
struct NormalizedText {
  var scalars: [Unicode.Scalar]
  /// How many of the first scalars come from the first scalar of the original text. The pre-tokenizer Metaspace treats
  /// the start of a text differently. A text whose first scalar was removed has no start.
  var starts: Int
}

/// Changes a text before it is split.
protocol Normalizer: Sendable {
  func normalize(_ text: NormalizedText) throws -> NormalizedText
}

/// Reads the normalizers of a `tokenizer.json`.
enum Normalizers {
  static func read(_ component: Component) throws -> any Normalizer {
    switch try component.type() {
    case "Sequence": SequenceNormalizer(parts: try component.components("normalizers").map(read))
    case "NFC": UnicodeNormalizer(form: .composed)
    case "NFD": UnicodeNormalizer(form: .decomposed)
    case "NFKC": UnicodeNormalizer(form: .compatibilityComposed)
    case "NFKD": UnicodeNormalizer(form: .compatibilityDecomposed)
    case "Lowercase": ScalarNormalizer(change: ScalarNormalizer.lowercase)
    case "StripAccents": ScalarNormalizer(change: ScalarNormalizer.withoutMarks)
    case "Nmt": ScalarNormalizer(change: ScalarNormalizer.nmt)
    case "BertNormalizer": try BertNormalizer(component)
    case "ByteLevel": ByteLevelNormalizer()
    case "Strip":
      StripNormalizer(
        left: try component.bool("strip_left", default: true), right: try component.bool("strip_right", default: true))
    case "Prepend": PrependNormalizer(prefix: Array(try component.string("prepend").unicodeScalars))
    case "Replace": try ReplaceNormalizer(component)
    case "Precompiled": try PrecompiledNormalizer(component)
    case let type: throw component.unsupported("the normalizer \(type)")
    }
  }
}

/// Normalizers in a row.
struct SequenceNormalizer: Normalizer {
  let parts: [any Normalizer]

  func normalize(_ text: NormalizedText) throws -> NormalizedText {
    var text = text
    for part in parts {
      text = try part.normalize(text)
      try TokenizerLimits.check(changedText: text.scalars.count)
    }
    return text
  }
}

/// Removes spaces from the ends of a text.
struct StripNormalizer: Normalizer {
  let left: Bool
  let right: Bool

  func normalize(_ text: NormalizedText) -> NormalizedText {
    var scalars = text.scalars[...]
    if left { scalars = scalars.drop { ScalarKind.isSpace($0) } }
    if right { while let last = scalars.last, ScalarKind.isSpace(last) { scalars.removeLast() } }
    return NormalizedText(scalars: Array(scalars), starts: max(0, text.starts - scalars.startIndex))
  }
}

/// Adds a text before a text that is not empty.
struct PrependNormalizer: Normalizer {
  let prefix: [Unicode.Scalar]

  func normalize(_ text: NormalizedText) -> NormalizedText {
    guard !text.scalars.isEmpty else { return text }
    return NormalizedText(
      scalars: prefix + text.scalars, starts: text.starts == 0 ? 0 : text.starts + prefix.count)
  }
}

/// Replaces what matches a pattern.
struct ReplaceNormalizer: Normalizer {
  let pattern: Pattern
  let content: [Unicode.Scalar]

  init(_ component: Component) throws {
    pattern = try Pattern(component, "pattern")
    content = Array(try component.string("content").unicodeScalars)
  }

  func normalize(_ text: NormalizedText) throws -> NormalizedText {
    var changed = NormalizedText(scalars: [], starts: 0)
    for (range, isMatch) in try pattern.parts(of: text.scalars) {
      // The library counts a replacement to the last scalar that it replaces.
      if range.upperBound <= text.starts {
        changed.starts += isMatch ? content.count : range.count
      } else if !isMatch, range.lowerBound < text.starts {
        changed.starts += text.starts - range.lowerBound
      }
      changed.scalars += isMatch ? content[...] : text.scalars[range]
      try TokenizerLimits.check(changedText: changed.scalars.count)
    }
    return changed
  }
}

/// Replaces each byte of the text by a printable character.
struct ByteLevelNormalizer: Normalizer {
  func normalize(_ text: NormalizedText) -> NormalizedText {
    NormalizedText(
      scalars: ByteCharacters.encode(text.scalars[...]),
      starts: ByteCharacters.encode(text.scalars.prefix(text.starts)).count)
  }
}
