import CoreMLBase
import Foundation

/// A tokenizer from a `tokenizer.json`, the format of Hugging Face's tokenizers library.
///
/// It turns text into token ids and back, with the ids of that library. Truncation and padding of the file are not
/// applied. Chat templates are not read.
public struct Tokenizer: Sendable {
  let model: any TokenModel
  private let normalizer: (any Normalizer)?
  private let preTokenizer: (any PreTokenizer)?
  private let template: [TemplatePart]
  private let decoder: (any Decoder)?
  private var added: [Int: AddedToken] = [:]
  private var addedIDs: [[UInt8]: Int] = [:]
  private var exact = AddedTokenIndex()
  private var normalized = AddedTokenIndex()

  /// Reads a `tokenizer.json`.
  ///
  /// - Parameter url: the file, or a folder with a file of that name.
  /// - Throws: `TokenizerError`.
  public init(contentsOf url: URL) throws {
    let path = PathKind(of: url.path) == .folder ? url.appending(path: "tokenizer.json").path : url.path
    guard let bytes = OpenFile.contents(atPath: path, limit: TokenizerLimits.file + 1) else {
      throw TokenizerError(.unreadable, "the file cannot be read: \(String(cString: strerror(errno)))", file: path)
    }
    do { try self.init(bytes) } catch var error as TokenizerError {
      error.file = path
      throw error
    }
  }

  /// Reads the contents of a `tokenizer.json`.
  ///
  /// - Throws: `TokenizerError`.
  public init(_ data: Data) throws { try self.init([UInt8](data)) }

  init(_ bytes: [UInt8]) throws {
    guard bytes.count <= TokenizerLimits.file else {
      throw TokenizerError(.limit, "the file has more than \(TokenizerLimits.file >> 20) MB")
    }
    let root = try Component(JSONParser.parse(bytes), path: "")
    for key in ["normalizer", "pre_tokenizer", "decoder", "post_processor"] {
      try Self.checkCount(root.value(key), key)
    }
    guard let model = try root.component("model") else {
      throw TokenizerError(.invalid, "model: expected an object, found nothing")
    }
    self.model = try TokenModels.read(model)
    normalizer = try root.component("normalizer").map(Normalizers.read)
    preTokenizer = try root.component("pre_tokenizer").map(PreTokenizers.read)
    template = try root.component("post_processor").map(PostProcessors.read) ?? [.text]
    decoder = try root.component("decoder").map(Decoders.read)
    if root.value("added_tokens") != nil {
      for (index, value) in try root.array("added_tokens").enumerated() {
        try add(AddedToken(Component(value, path: "added_tokens[\(index)]")))
      }
    }
  }

  /// Throws if nested sequences have too many components: the time for a text grows with their number.
  private static func checkCount(_ value: JSONValue?, _ key: String) throws {
    func count(_ value: JSONValue) -> Int {
      switch value {
      case .array(let values): values.reduce(0) { $0 + count($1) }
      case .object(let members): 1 + members.reduce(0) { $0 + count($1.value) }
      default: 0
      }
    }
    guard let value, count(value) > 4 * TokenizerLimits.components else { return }
    throw TokenizerError(.limit, "\(key): expected at most \(TokenizerLimits.components) components")
  }

  private mutating func add(_ token: AddedToken) throws {
    let bytes = Array(token.content.utf8)
    // The model's own id wins, as in the library.
    let id = model.vocabulary.ids[bytes].map(Int.init) ?? token.id
    guard !bytes.isEmpty, addedIDs[bytes] == nil else { return }
    addedIDs[bytes] = id
    added[id] = token
    let scalars = Array(token.content.unicodeScalars)
    if token.isNormalized {
      let text = NormalizedText(scalars: scalars, starts: 0)
      try normalized.insert(normalizer?.normalize(text).scalars ?? scalars, token)
    } else {
      try exact.insert(scalars, token)
    }
  }

  // MARK: vocabulary

  /// The number of tokens, with those that the file adds to the model's vocabulary.
  public var vocabularyCount: Int {
    model.vocabulary.ids.count + added.keys.count { model.vocabulary.token($0) == nil }
  }

  /// The token with an id; nil if there is none.
  public func token(for id: Int) -> String? { bytes(of: id).map { String(decoding: $0, as: UTF8.self) } }

  /// The id of a token as the vocabulary spells it; nil if there is none.
  public func id(for token: String) -> Int? {
    let bytes = Array(token.utf8)
    return addedIDs[bytes] ?? model.vocabulary.ids[bytes].map(Int.init)
  }

  /// Whether a token is a control token, such as the end of a text.
  public func isSpecial(_ id: Int) -> Bool { added[id]?.isSpecial ?? false }

  private func bytes(of id: Int) -> [UInt8]? {
    added[id].map { Array($0.content.utf8) } ?? model.vocabulary.token(id)
  }

  // MARK: texts

  /// The token ids of a text.
  ///
  /// - Parameter addingSpecialTokens: Whether the file's post-processor adds tokens such as the start of a text.
  /// - Throws: `TokenizerError`.
  public func encode(_ text: String, addingSpecialTokens: Bool = true) throws -> [Int] {
    guard text.utf8.count <= TokenizerLimits.text else {
      throw TokenizerError(
        .limit, "the text has \(text.utf8.count) bytes, expected at most \(TokenizerLimits.text >> 20) MB")
    }
    let ids = try encodeText(Array(text.unicodeScalars))
    guard addingSpecialTokens else { return ids }
    return template.flatMap { part -> [Int] in
      switch part {
      case .text: ids
      case .tokens(let tokens): tokens
      }
    }
  }

  private func encodeText(_ text: [Unicode.Scalar]) throws -> [Int] {
    var ids: [Int] = []
    for (range, token) in exact.parts(of: text) {
      if let token {
        ids.append(addedIDs[Array(token.content.utf8)] ?? token.id)
        continue
      }
      let original = NormalizedText(scalars: Array(text[range]), starts: range.lowerBound == 0 ? 1 : 0)
      let changed = try normalizer?.normalize(original) ?? original
      try TokenizerLimits.check(changedText: changed.scalars.count)
      for (part, token) in normalized.parts(of: changed.scalars) {
        if let token {
          ids.append(addedIDs[Array(token.content.utf8)] ?? token.id)
        } else {
          try encode(
            Piece(text: changed.scalars[part], starts: max(0, changed.starts - part.lowerBound)), into: &ids)
        }
      }
    }
    return ids
  }

  private func encode(_ piece: Piece, into ids: inout [Int]) throws {
    var found: [Int32] = []
    for piece in try preTokenizer?.split(piece) ?? [piece] where !piece.text.isEmpty {
      try model.encode(piece.text, into: &found)
    }
    ids += found.lazy.map(Int.init)
  }

  /// The text of token ids. Ids without a token are left out.
  ///
  /// - Parameter skippingSpecialTokens: Whether control tokens are left out.
  /// - Throws: `TokenizerError` of code `.limit` if the text becomes too long.
  public func decode(_ ids: [Int], skippingSpecialTokens: Bool = true) throws -> String {
    let tokens = ids.compactMap { id in skippingSpecialTokens && isSpecial(id) ? nil : bytes(of: id) }
    guard let decoder else { return String(decoding: Array(tokens.joined(separator: [0x20])), as: UTF8.self) }
    guard !tokens.isEmpty else { return "" }
    return String(decoding: Array(try decoder.decode(tokens).joined()), as: UTF8.self)
  }
}
