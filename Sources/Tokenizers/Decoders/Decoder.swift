/// Turns tokens back into text. Each decoder gets the tokens of the one before it.
protocol Decoder: Sendable {
  func decode(_ tokens: [[UInt8]]) throws -> [[UInt8]]
}

/// Reads the decoders of a `tokenizer.json`.
enum Decoders {
  static func read(_ component: Component) throws -> any Decoder {
    switch try component.type() {
    case "Sequence": SequenceDecoder(parts: try component.components("decoders").map(read))
    case "ByteLevel": ByteLevelDecoder()
    case "ByteFallback": ByteFallbackDecoder()
    case "Fuse": FuseDecoder()
    case "Metaspace":
      MetaspaceDecoder(
        space: Array(try component.scalar("replacement").utf8),
        dropsFirst: try MetaspacePreTokenizer.scheme(component) != "never")
    case "Replace":
      ReplaceDecoder(normalizer: try ReplaceNormalizer(component))
    case "Strip":
      StripDecoder(
        scalar: try component.scalar("content"), start: try component.integer("start"),
        stop: try component.integer("stop"))
    case "WordPiece":
      WordPieceDecoder(
        prefix: try component.bytes("prefix"), cleansUp: try component.bool("cleanup", default: true))
    case "BPEDecoder": SuffixDecoder(suffix: try component.bytes("suffix"))
    case let type: throw component.unsupported("the decoder \(type)")
    }
  }
}

/// Decoders in a row.
struct SequenceDecoder: Decoder {
  let parts: [any Decoder]

  func decode(_ tokens: [[UInt8]]) throws -> [[UInt8]] {
    try parts.reduce(tokens) { tokens, part in
      let decoded = try part.decode(tokens)
      try TokenizerLimits.check(changedText: decoded.reduce(0) { $0 + $1.count })
      return decoded
    }
  }
}

/// Joins all tokens.
struct FuseDecoder: Decoder {
  func decode(_ tokens: [[UInt8]]) -> [[UInt8]] { [Array(tokens.joined())] }
}

/// Replaces the characters of bytes by the bytes. Invalid UTF-8 becomes U+FFFD.
struct ByteLevelDecoder: Decoder {
  func decode(_ tokens: [[UInt8]]) -> [[UInt8]] {
    var bytes: [UInt8] = []
    for token in tokens {
      let scalars = String(decoding: token, as: UTF8.self).unicodeScalars
      let decoded = scalars.compactMap { ByteCharacters.bytes[$0] }
      // An added token may have other characters. It stays as it is.
      bytes += decoded.count == scalars.count ? decoded : token
    }
    return [Array(String(decoding: bytes, as: UTF8.self).utf8)]
  }
}

/// Replaces tokens such as `<0xE2>` by their bytes. Runs that are no UTF-8 text become U+FFFD, one for each byte.
struct ByteFallbackDecoder: Decoder {
  func decode(_ tokens: [[UInt8]]) -> [[UInt8]] {
    var decoded: [[UInt8]] = []
    var run: [UInt8] = []
    func flush() {
      guard !run.isEmpty else { return }
      if String(validating: run, as: UTF8.self) != nil {
        decoded.append(run)
      } else {
        decoded += run.map { _ in Array("\u{FFFD}".utf8) }
      }
      run = []
    }
    for token in tokens {
      if let byte = Self.byte(token) {
        run.append(byte)
      } else {
        flush()
        decoded.append(token)
      }
    }
    flush()
    return decoded
  }

  private static func byte(_ token: [UInt8]) -> UInt8? {
    guard token.count == 6, token.starts(with: "<0x".utf8), token[5] == UInt8(ascii: ">") else { return nil }
    return UInt8(String(decoding: token[3..<5], as: UTF8.self), radix: 16)
  }
}
