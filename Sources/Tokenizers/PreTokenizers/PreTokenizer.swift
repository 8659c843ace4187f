/// Splits the pieces of a text into smaller ones. The model never joins two pieces.
protocol PreTokenizer: Sendable {
  func split(_ piece: Piece) throws -> [Piece]
}

/// Reads the pre-tokenizers of a `tokenizer.json`.
enum PreTokenizers {
  static func read(_ component: Component) throws -> any PreTokenizer {
    switch try component.type() {
    case "Sequence": SequencePreTokenizer(parts: try component.components("pretokenizers").map(read))
    case "ByteLevel":
      try ByteLevelPreTokenizer(
        addsSpace: component.bool("add_prefix_space", default: true),
        pattern: component.bool("use_regex", default: true) ? Pattern(ByteLevelPreTokenizer.pattern) : nil)
    case "Split": try SplitPreTokenizer(component)
    case "Whitespace": ClassPreTokenizer()
    case "WhitespaceSplit": ScalarPreTokenizer(behavior: .removed, isMatch: ScalarKind.isSpace)
    case "CharDelimiterSplit":
      try ScalarPreTokenizer(behavior: .removed, isMatch: { [scalar = component.scalar("delimiter")] in $0 == scalar })
    case "BertPreTokenizer":
      SequencePreTokenizer(parts: [
        ScalarPreTokenizer(behavior: .removed, isMatch: ScalarKind.isSpace),
        ScalarPreTokenizer(behavior: .isolated, isMatch: ScalarKind.isPunctuation),
      ])
    case "Digits":
      ScalarPreTokenizer(
        behavior: try component.bool("individual_digits", default: false) ? .isolated : .contiguous,
        isMatch: ScalarKind.isNumber)
    case "Punctuation":
      ScalarPreTokenizer(
        behavior: component.has("behavior") ? try SplitBehavior(component) : .isolated,
        isMatch: ScalarKind.isPunctuation)
    case "Metaspace": try MetaspacePreTokenizer(component)
    case let type: throw component.unsupported("the pre-tokenizer \(type)")
    }
  }
}

/// Pre-tokenizers in a row.
struct SequencePreTokenizer: PreTokenizer {
  let parts: [any PreTokenizer]

  func split(_ piece: Piece) throws -> [Piece] {
    var pieces = [piece]
    for part in parts {
      var next: [Piece] = []
      var length = 0
      for piece in pieces {
        let split = try part.split(piece)
        length += split.reduce(0) { $0 + $1.text.count }
        try TokenizerLimits.check(changedText: length)
        next += split
      }
      pieces = next
    }
    return pieces
  }
}

/// Splits at scalars of a kind.
struct ScalarPreTokenizer: PreTokenizer {
  let behavior: SplitBehavior
  let isMatch: @Sendable (Unicode.Scalar) -> Bool

  func split(_ piece: Piece) -> [Piece] { piece.parts(behavior.ranges(piece.parts(where: isMatch))) }
}

/// Keeps runs of word characters, and runs of others that are no spaces.
struct ClassPreTokenizer: PreTokenizer {
  func split(_ piece: Piece) -> [Piece] {
    var ranges: [Range<Int>] = []
    var start = 0
    var previous = 0
    for (place, scalar) in piece.text.enumerated() {
      let kind = ScalarKind.isWord(scalar) ? 1 : ScalarKind.isSpace(scalar) ? 0 : 2
      if kind != previous {
        if previous != 0 { ranges.append(start..<place) }
        (start, previous) = (place, kind)
      }
    }
    if previous != 0 { ranges.append(start..<piece.text.count) }
    return piece.parts(ranges)
  }
}

/// Splits by a pattern.
struct SplitPreTokenizer: PreTokenizer {
  let pattern: Pattern
  let behavior: SplitBehavior
  /// Whether the text between matches counts as the matches.
  let isInverted: Bool

  init(_ component: Component) throws {
    pattern = try Pattern(component, "pattern")
    behavior = try SplitBehavior(component)
    isInverted = try component.bool("invert", default: false)
  }

  func split(_ piece: Piece) throws -> [Piece] {
    let parts = try pattern.parts(of: Array(piece.text)).map { ($0.range, $0.isMatch != isInverted) }
    return piece.parts(behavior.ranges(parts))
  }
}

/// Replaces spaces by a visible character, as sentencepiece does.
struct MetaspacePreTokenizer: PreTokenizer {
  let space: Unicode.Scalar
  /// Where the character is added in front: `always`, `first` or `never`.
  let scheme: String
  let splits: Bool

  init(_ component: Component) throws {
    space = try component.scalar("replacement")
    scheme = try Self.scheme(component)
    splits = try component.bool("split", default: true)
  }

  /// The scheme of a pre-tokenizer or a decoder. Old files have a Boolean.
  static func scheme(_ component: Component) throws -> String {
    guard let bytes = try component.optionalBytes("prepend_scheme") else {
      return try component.bool("add_prefix_space", default: true) ? "always" : "never"
    }
    let scheme = String(decoding: bytes, as: UTF8.self)
    guard ["always", "first", "never"].contains(scheme) else {
      throw component.unsupported("the prepend scheme \(scheme)")
    }
    return scheme
  }

  func split(_ piece: Piece) -> [Piece] {
    var text = piece.text.map { $0 == " " ? space : $0 }
    let isWanted = scheme == "always" || (scheme == "first" && piece.starts > 0)
    let isAdded = isWanted && text.first != space
    if isAdded { text.insert(space, at: 0) }
    let whole = Piece(text: text[...], starts: piece.starts + (isAdded && piece.starts > 0 ? 1 : 0))
    guard splits else { return whole.parts([0..<text.count]) }
    return whole.parts(SplitBehavior.mergedWithNext.ranges(whole.parts { $0 == space }))
  }
}
