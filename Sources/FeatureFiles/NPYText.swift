/// Strings as an `.npy` array of NumPy's type `U`: each has as many UTF-32 scalars as the longest one.
public enum NPYText {
  /// The strings of a character array. The last axis has the characters of one string; trailing zeros are padding.
  public static func texts(_ letters: NPYArray) -> [String] {
    guard let longest = letters.shape.last, longest > 0 else { return [] }
    let scalars = letters.doubles.map { Unicode.Scalar(UInt32($0)) ?? "\u{FFFD}" }
    return stride(from: 0, to: scalars.count, by: longest).map { start in
      var text = String.UnicodeScalarView()
      let word = scalars[start..<(start + longest)]
      text.append(contentsOf: word.prefix((word.lastIndex { $0.value != 0 } ?? start - 1) - start + 1))
      return String(text)
    }
  }

  static func npy(_ texts: [String]) -> [UInt8] {
    let longest = max(texts.map(\.unicodeScalars.count).max() ?? 0, 1)
    var bytes = NPYArray.head("<U\(longest)", [texts.count])
    bytes.reserveCapacity(bytes.count + 4 * longest * texts.count)
    for text in texts {
      for scalar in text.unicodeScalars {
        withUnsafeBytes(of: scalar.value.littleEndian) { bytes.append(contentsOf: $0) }
      }
      bytes.append(contentsOf: repeatElement(0, count: 4 * (longest - text.unicodeScalars.count)))
    }
    return bytes
  }
}
