/// The model of BERT: the longest token first, from left to right.
struct WordPieceModel: TokenModel {
  let vocabulary: Vocabulary
  private let first: PrefixIndex
  /// Tokens that continue a word, without their prefix.
  private let later: PrefixIndex
  private let unknown: Int32?
  /// Longer words are unknown.
  private let longestWord: Int

  init(_ component: Component) throws {
    vocabulary = try Vocabulary(component, "vocab")
    let prefix = try component.optionalBytes("continuing_subword_prefix") ?? Array("##".utf8)
    first = try PrefixIndex(vocabulary.ids)
    later = try PrefixIndex(
      vocabulary.ids.lazy.filter { $0.key.starts(with: prefix) }.map {
        (Array($0.key.dropFirst(prefix.count)), $0.value)
      })
    unknown = vocabulary.ids[try component.optionalBytes("unk_token") ?? Array("[UNK]".utf8)]
    longestWord = component.has("max_input_chars_per_word") ? try component.integer("max_input_chars_per_word") : 100
  }

  func encode(_ piece: ArraySlice<Unicode.Scalar>, into ids: inout [Int32]) throws {
    let before = ids.count
    if piece.count <= longestWord {
      let text = piece.bytes
      var start = 0
      while start < text.count {
        var longest: (id: Int32, end: Int)?
        (start == 0 ? first : later).forEachPrefix(of: text, from: start) { longest = ($0, $1) }
        guard let (id, end) = longest else { break }
        ids.append(id)
        start = end
      }
      if start == text.count { return }
    }
    ids.removeSubrange(before...)
    guard let unknown else {
      throw TokenizerError(
        .unknownText, "the text has a word without tokens, and the tokenizer's unk_token is no token")
    }
    ids.append(unknown)
  }
}

/// A token for each word.
struct WordLevelModel: TokenModel {
  let vocabulary: Vocabulary
  private let unknown: Int32?

  init(_ component: Component) throws {
    vocabulary = try Vocabulary(component, "vocab")
    unknown = vocabulary.ids[try component.optionalBytes("unk_token") ?? Array("<unk>".utf8)]
  }

  func encode(_ piece: ArraySlice<Unicode.Scalar>, into ids: inout [Int32]) throws {
    guard let id = vocabulary.ids[piece.bytes] ?? unknown else {
      throw TokenizerError(
        .unknownText, "the text has a word that is no token, and the tokenizer's unk_token is no token")
    }
    ids.append(id)
  }
}
