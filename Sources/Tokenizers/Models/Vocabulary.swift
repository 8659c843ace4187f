/// Tokens and their ids. Tokens are UTF-8 bytes, so that canonically equivalent ones stay apart.
struct Vocabulary: Sendable {
  private(set) var ids: [[UInt8]: Int32] = [:]
  private(set) var tokens: [[UInt8]?] = []

  init() {}

  /// The vocabulary of a BPE, WordPiece or WordLevel model.
  init(_ component: Component, _ key: String) throws {
    let members = try component.object(key)
    ids.reserveCapacity(members.count)
    for member in members {
      guard let id = member.value.integer, (0..<TokenizerLimits.vocabulary).contains(id) else {
        throw TokenizerError(
          .invalid,
          "\(component.place(key)): expected an id below \(TokenizerLimits.vocabulary) for "
            + "'\(String(decoding: member.key.prefix(100), as: UTF8.self))', found \(member.value.kind)")
      }
      insert(member.key, id: Int32(id))
    }
  }

  mutating func insert(_ token: [UInt8], id: Int32) {
    ids[token] = id
    if Int(id) >= tokens.count { tokens += [[UInt8]?](repeating: nil, count: Int(id) + 1 - tokens.count) }
    tokens[Int(id)] = token
  }

  func id(_ token: some Sequence<UInt8>) -> Int32? { ids[Array(token)] }

  func token(_ id: Int) -> [UInt8]? { tokens.indices.contains(id) ? tokens[id] : nil }

  /// The ids of `<0x00>` to `<0xFF>`; nil for missing ones.
  func byteTokens() -> [Int32?] {
    let digits = Array("0123456789ABCDEF".utf8)
    return (0..<256).map { ids[Array("<0x".utf8) + [digits[$0 >> 4], digits[$0 & 15]] + Array(">".utf8)] }
  }
}

/// Splits the words of a text into tokens.
protocol TokenModel: Sendable {
  var vocabulary: Vocabulary { get }

  /// Appends the ids of a piece.
  func encode(_ piece: ArraySlice<Unicode.Scalar>, into ids: inout [Int32]) throws
}

/// Reads the model of a `tokenizer.json`.
enum TokenModels {
  static func read(_ component: Component) throws -> any TokenModel {
    switch try type(of: component) {
    case "BPE": try BPEModel(component)
    case "Unigram": try UnigramModel(component)
    case "WordPiece": try WordPieceModel(component)
    case "WordLevel": try WordLevelModel(component)
    case let type: throw component.unsupported("the model \(type)")
    }
  }

  /// The type of a model. Old files do not name it.
  private static func type(of component: Component) throws -> String {
    if component.has("type") { return try component.type() }
    if component.has("merges") { return "BPE" }
    if component.has("unk_id") { return "Unigram" }
    return component.has("max_input_chars_per_word") ? "WordPiece" : "WordLevel"
  }
}

extension Sequence<Unicode.Scalar> {
  /// The text as UTF-8.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(underestimatedCount)
    for scalar in self {
      if scalar.value < 128 { bytes.append(UInt8(scalar.value)) } else { bytes += scalar.utf8 }
    }
    return bytes
  }
}
