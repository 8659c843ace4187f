import Foundation

/// A normalization form of Unicode.
struct UnicodeNormalizer: Normalizer {
  enum Form: Sendable { case composed, decomposed, compatibilityComposed, compatibilityDecomposed }

  let form: Form

  func normalize(_ text: NormalizedText) throws -> NormalizedText {
    // In all forms ASCII stays as it is.
    if text.scalars.allSatisfy({ $0.value < 128 }) { return text }
    let starts = text.starts == 0 ? 0 : max(1, normalized(text.scalars.prefix(text.starts)).count)
    return NormalizedText(scalars: try normalize(text.scalars), starts: starts)
  }

  private func normalize(_ text: [Unicode.Scalar]) throws -> [Unicode.Scalar] {
    let text = CombiningMarks.sorted(text, form)
    var changed: [Unicode.Scalar] = []
    changed.reserveCapacity(text.count)
    var start = 0
    while start < text.count {
      let end = Self.boundary(in: text, after: start)
      changed += normalized(text[start..<end])
      try TokenizerLimits.check(changedText: changed.count)
      start = end
    }
    return changed
  }

  /// The end of a chunk that can be normalized alone. Foundation converts each string to UTF-16, so chunks keep the
  /// memory small.
  private static func boundary(in text: [Unicode.Scalar], after start: Int) -> Int {
    var end = min(start + 1024, text.count)
    // Nothing combines with an ASCII character from its left.
    while end < text.count, text[end].value >= 128 { end += 1 }
    return end
  }

  private func normalized(_ text: ArraySlice<Unicode.Scalar>) -> String.UnicodeScalarView {
    let string = String(String.UnicodeScalarView(text))
    return switch form {
    case .composed: string.precomposedStringWithCanonicalMapping.unicodeScalars
    case .decomposed: string.decomposedStringWithCanonicalMapping.unicodeScalars
    // Foundation's own form KC does not compose halfwidth Hangul letters.
    case .compatibilityComposed:
      string.decomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping.unicodeScalars
    case .compatibilityDecomposed: string.decomposedStringWithCompatibilityMapping.unicodeScalars
    }
  }
}

/// Combining marks in canonical order.
///
/// Foundation sorts the marks after a character in a time that is quadratic in their number, unless they are sorted.
private enum CombiningMarks {
  static func sorted(_ text: [Unicode.Scalar], _ form: UnicodeNormalizer.Form) -> [Unicode.Scalar] {
    var changed: [Unicode.Scalar] = []
    changed.reserveCapacity(text.count)
    var run: [(order: UInt8, scalar: Unicode.Scalar)] = []
    func flush() {
      changed += run.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
        .map(\.element.scalar)
      run = []
    }
    for scalar in text {
      for part in marks(of: scalar, form) {
        let order = part.value < 0x300 ? 0 : part.properties.canonicalCombiningClass.rawValue
        if order > 0 {
          run.append((order, part))
        } else {
          if !run.isEmpty { flush() }
          changed.append(part)
        }
      }
    }
    flush()
    return changed
  }

  /// The marks that a scalar is made of, for the few that are not marks themselves; else the scalar.
  private static func marks(
    of scalar: Unicode.Scalar, _ form: UnicodeNormalizer.Form
  ) -> [Unicode.Scalar] {
    let isCompatible = form == .compatibilityComposed || form == .compatibilityDecomposed
    switch scalar.value {
    case 0xF73: return ["\u{F71}", "\u{F72}"]
    case 0xF75: return ["\u{F71}", "\u{F74}"]
    case 0xF81: return ["\u{F71}", "\u{F80}"]
    case 0xFF9E where isCompatible: return ["\u{3099}"]
    case 0xFF9F where isCompatible: return ["\u{309A}"]
    default: return [scalar]
    }
  }
}
