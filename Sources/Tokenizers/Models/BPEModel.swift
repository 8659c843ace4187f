/// Byte-pair encoding: joins the pair of symbols with the lowest rank, until no pair can be joined.
struct BPEModel: TokenModel {
  struct Merge: Sendable {
    let rank: Int32
    let id: Int32
  }

  let vocabulary: Vocabulary
  /// By the ids of the left and the right symbol.
  private let merges: [UInt64: Merge]
  private let unknown: [UInt8]?
  private let fusesUnknown: Bool
  /// Whether a word that is a token stays whole, even if no merges lead to it.
  private let ignoresMerges: Bool
  private let continuingPrefix: [UInt8]
  private let endSuffix: [UInt8]
  /// The tokens of bytes, for characters that are no tokens; empty if the model does not use them.
  private let byteTokens: [Int32?]

  init(_ component: Component) throws {
    if let dropout = component.value("dropout"), case .number(let rate) = dropout, rate != 0 {
      throw component.unsupported("dropout, which is random,")
    }
    vocabulary = try Vocabulary(component, "vocab")
    unknown = try component.optionalBytes("unk_token")
    fusesUnknown = try component.bool("fuse_unk", default: false)
    ignoresMerges = try component.bool("ignore_merges", default: false)
    continuingPrefix = try component.optionalBytes("continuing_subword_prefix") ?? []
    endSuffix = try component.optionalBytes("end_of_word_suffix") ?? []
    byteTokens = try component.bool("byte_fallback", default: false) ? vocabulary.byteTokens() : []
    merges = try Self.merges(component, vocabulary, prefix: continuingPrefix.count)
  }

  private static func merges(
    _ component: Component, _ vocabulary: Vocabulary, prefix: Int
  ) throws -> [UInt64: Merge] {
    let list = try component.array("merges")
    var merges: [UInt64: Merge] = [:]
    merges.reserveCapacity(list.count)
    for (rank, entry) in list.enumerated() {
      guard let (left, right) = pair(entry) else {
        throw TokenizerError(.invalid, "\(component.place("merges"))[\(rank)]: expected a pair of tokens")
      }
      guard let first = vocabulary.ids[left], let second = vocabulary.ids[right],
        let joined = vocabulary.ids[left + right.dropFirst(prefix)]
      else {
        throw TokenizerError(
          .invalid,
          "\(component.place("merges"))[\(rank)]: a token of the pair, or both joined, are not in the vocabulary")
      }
      merges[key(first, second)] = Merge(rank: Int32(clamping: rank), id: joined)
    }
    return merges
  }

  /// `["a", "b"]`, or `"a b"` in older files.
  private static func pair(_ entry: JSONValue) -> ([UInt8], [UInt8])? {
    switch entry {
    case .array(let parts):
      guard parts.count == 2, case .string(let left) = parts[0], case .string(let right) = parts[1] else { return nil }
      return (left, right)
    case .string(let text):
      let parts = text.split(separator: 0x20, omittingEmptySubsequences: false)
      return parts.count == 2 ? (Array(parts[0]), Array(parts[1])) : nil
    default: return nil
    }
  }

  private static func key(_ left: Int32, _ right: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
  }

  func merge(_ left: Int32, _ right: Int32) -> Merge? { merges[Self.key(left, right)] }

  func encode(_ piece: ArraySlice<Unicode.Scalar>, into ids: inout [Int32]) throws {
    if ignoresMerges, let id = vocabulary.ids[piece.bytes] {
      ids.append(id)
      return
    }
    var symbols = BPESymbols(capacity: piece.count)
    var pending: Int32?
    for place in piece.indices {
      var bytes: [UInt8] = place == piece.startIndex ? [] : continuingPrefix
      bytes += piece[place].utf8
      if place == piece.endIndex - 1 { bytes += endSuffix }
      if let id = vocabulary.ids[bytes] {
        if let unknown = pending { symbols.append(unknown) }
        pending = nil
        symbols.append(id)
      } else if let found = byteIDs(bytes) {
        for id in found { symbols.append(id) }
      } else if let unknown {
        guard let id = vocabulary.ids[unknown] else {
          throw TokenizerError(.unknownText, "the tokenizer's unk_token is not in its vocabulary")
        }
        if let unknown = pending, !fusesUnknown { symbols.append(unknown) }
        pending = id
      }
    }
    if let unknown = pending { symbols.append(unknown) }
    symbols.join(self)
    symbols.forEach { ids.append($0) }
  }

  private func byteIDs(_ bytes: [UInt8]) -> [Int32]? {
    guard !byteTokens.isEmpty else { return nil }
    let ids = bytes.compactMap { byteTokens[Int($0)] }
    return ids.count == bytes.count ? ids : nil
  }
}
