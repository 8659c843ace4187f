/// The characters that byte-level tokenizers use for bytes, as GPT-2 does.
enum ByteCharacters {
  /// The character of each byte. Bytes without a printable character get those from U+0100.
  static let characters: [Unicode.Scalar] = {
    var next: UInt32 = 0x100
    return (UInt8.min...UInt8.max).map { byte in
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: return Unicode.Scalar(byte)
      default:
        defer { next += 1 }
        return Unicode.Scalar(next) ?? " "
      }
    }
  }()

  /// The byte of each character.
  static let bytes: [Unicode.Scalar: UInt8] = Dictionary(
    uniqueKeysWithValues: characters.enumerated().map { ($1, UInt8($0)) })

  static func encode(_ text: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar] {
    var encoded: [Unicode.Scalar] = []
    encoded.reserveCapacity(text.count)
    for scalar in text {
      if scalar.value < 128 {
        encoded.append(characters[Int(scalar.value)])
      } else {
        for byte in scalar.utf8 { encoded.append(characters[Int(byte)]) }
      }
    }
    return encoded
  }
}

/// Splits like GPT-2, and replaces each byte by a printable character.
struct ByteLevelPreTokenizer: PreTokenizer {
  static let pattern = #"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"#

  let addsSpace: Bool
  /// Nil if the text is not split.
  let pattern: Pattern?

  func split(_ piece: Piece) throws -> [Piece] {
    var whole = piece
    if addsSpace, piece.text.first != " " {
      whole = Piece(text: ([" "] + piece.text)[...], starts: piece.starts == 0 ? 0 : piece.starts + 1)
    }
    let ranges = try pattern?.parts(of: Array(whole.text)).map(\.range) ?? [0..<whole.text.count]
    return whole.parts(ranges).map {
      let starts = ByteCharacters.encode($0.text.prefix($0.starts)).count
      return Piece(text: ByteCharacters.encode($0.text)[...], starts: starts)
    }
  }
}
