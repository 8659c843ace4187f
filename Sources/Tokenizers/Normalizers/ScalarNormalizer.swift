/// Changes or removes each scalar by itself.
struct ScalarNormalizer: Normalizer {
  /// Appends the replacement of a scalar, if any.
  let change: @Sendable (Unicode.Scalar, inout [Unicode.Scalar]) -> Void

  func normalize(_ text: NormalizedText) -> NormalizedText {
    var changed = NormalizedText(scalars: [], starts: 0)
    changed.scalars.reserveCapacity(text.scalars.count)
    for (place, scalar) in text.scalars.enumerated() {
      change(scalar, &changed.scalars)
      if place < text.starts { changed.starts = changed.scalars.count }
    }
    return changed
  }

  static let lowercase: @Sendable (Unicode.Scalar, inout [Unicode.Scalar]) -> Void = { scalar, text in
    text += scalar.properties.lowercaseMapping.unicodeScalars
  }

  static let withoutMarks: @Sendable (Unicode.Scalar, inout [Unicode.Scalar]) -> Void = { scalar, text in
    if !ScalarKind.isMark(scalar) { text.append(scalar) }
  }

  /// The rules of NMT, which sentencepiece uses too.
  static let nmt: @Sendable (Unicode.Scalar, inout [Unicode.Scalar]) -> Void = { scalar, text in
    switch scalar.value {
    case 0x01...0x08, 0x0B, 0x0E...0x1F, 0x7F, 0x8F, 0x9F: break
    case 0x09, 0x0A, 0x0C, 0x0D, 0x1680, 0x200B...0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD: text.append(" ")
    default: text.append(scalar)
    }
  }
}

/// The normalization of BERT models.
struct BertNormalizer: Normalizer {
  let cleansText: Bool
  let separatesHan: Bool
  let stripsAccents: Bool
  let lowercases: Bool

  init(_ component: Component) throws {
    cleansText = try component.bool("clean_text", default: true)
    separatesHan = try component.bool("handle_chinese_chars", default: true)
    lowercases = try component.bool("lowercase", default: true)
    stripsAccents = try component.bool("strip_accents", default: lowercases)
  }

  func normalize(_ text: NormalizedText) throws -> NormalizedText {
    var text = text
    if cleansText { text = ScalarNormalizer(change: Self.cleaned).normalize(text) }
    if separatesHan { text = ScalarNormalizer(change: Self.separated).normalize(text) }
    if stripsAccents {
      text = try UnicodeNormalizer(form: .decomposed).normalize(text)
      text = ScalarNormalizer { if !ScalarKind.isNonspacingMark($0) { $1.append($0) } }.normalize(text)
    }
    if lowercases { text = ScalarNormalizer(change: ScalarNormalizer.lowercase).normalize(text) }
    return text
  }

  private static let cleaned: @Sendable (Unicode.Scalar, inout [Unicode.Scalar]) -> Void = { scalar, text in
    if scalar == "\t" || scalar == "\n" || scalar == "\r" {
      text.append(" ")
    } else if scalar.value != 0, scalar.value != 0xFFFD, !ScalarKind.isControl(scalar) {
      text.append(ScalarKind.isSpace(scalar) ? " " : scalar)
    }
  }

  private static let separated: @Sendable (Unicode.Scalar, inout [Unicode.Scalar]) -> Void = { scalar, text in
    switch scalar.value {
    case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x20000...0x2A6DF, 0x2A700...0x2B73F, 0x2B740...0x2B81F, 0x2B920...0x2CEAF,
      0xF900...0xFAFF, 0x2F800...0x2FA1F:
      text += [" ", scalar, " "]
    default: text.append(scalar)
    }
  }
}
