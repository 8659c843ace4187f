import Foundation

/// The normalization rules of a sentencepiece model: a double-array trie of UTF-8 strings, and their replacements.
struct PrecompiledNormalizer: Normalizer {
  /// The units of the trie (darts-clone): bit 8 of a unit says that a key ends here.
  private let trie: [UInt32]
  /// Replacements that end with a zero byte.
  private let replacements: [UInt8]

  init(_ component: Component) throws {
    let encoded = try component.bytes("precompiled_charsmap")
    guard let data = Data(base64Encoded: Data(encoded)) else {
      throw TokenizerError(.invalid, "\(component.place("precompiled_charsmap")): expected Base64")
    }
    let bytes = [UInt8](data)
    guard let size = Self.unit(bytes, at: 0).map(Int.init), size % 4 == 0, 4 + size <= bytes.count else {
      throw TokenizerError(.invalid, "\(component.place("precompiled_charsmap")): expected a trie after its size")
    }
    trie = stride(from: 4, to: 4 + size, by: 4).compactMap { Self.unit(bytes, at: $0) }
    replacements = Array(bytes[(4 + size)...])
  }

  private static func unit(_ bytes: [UInt8], at place: Int) -> UInt32? {
    guard place + 4 <= bytes.count else { return nil }
    return (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
  }

  func normalize(_ text: NormalizedText) throws -> NormalizedText {
    let scalars = try normalize(text.scalars)
    let starts = try normalize(Array(text.scalars.prefix(text.starts))).count
    return NormalizedText(scalars: scalars, starts: min(starts, scalars.count))
  }

  private func normalize(_ text: [Unicode.Scalar]) throws -> [Unicode.Scalar] {
    var changed: [Unicode.Scalar] = []
    for character in String(String.UnicodeScalarView(text)) {
      let scalars = character.unicodeScalars
      // The library looks up short grapheme clusters as a whole, and others by their scalars.
      if character.utf8.count < 6, let replacement = replacement(of: character.utf8) {
        changed += replacement
      } else {
        for scalar in scalars {
          if let replacement = replacement(of: scalar.utf8) { changed += replacement } else { changed.append(scalar) }
        }
      }
      try TokenizerLimits.check(changedText: changed.count)
    }
    return changed
  }

  /// The replacement of the shortest key that is a prefix of a text.
  private func replacement(of key: some Sequence<UInt8>) -> String.UnicodeScalarView? {
    guard let place = value(of: key), place < replacements.count else { return nil }
    let end = replacements[place...].prefix(TokenizerLimits.token).firstIndex(of: 0) ?? replacements.count
    return String(decoding: replacements[place..<min(end, place + TokenizerLimits.token)], as: UTF8.self).unicodeScalars
  }

  private func value(of key: some Sequence<UInt8>) -> Int? {
    guard var unit = trie.first else { return nil }
    var node = Self.offset(unit)
    for byte in key {
      if byte == 0 { return nil }
      node ^= UInt32(byte)
      guard node < trie.count else { return nil }
      unit = trie[Int(node)]
      guard unit & 0x8000_00FF == UInt32(byte) else { return nil }
      node ^= Self.offset(unit)
      if unit >> 8 & 1 == 1 {
        guard node < trie.count else { return nil }
        return Int(trie[Int(node)] & 0x7FFF_FFFF)
      }
    }
    return nil
  }

  private static func offset(_ unit: UInt32) -> UInt32 { (unit >> 10) << ((unit & 1 << 9) >> 6) }
}
