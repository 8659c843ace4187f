/// The unigram model of sentencepiece: the split with the highest sum of scores.
struct UnigramModel: TokenModel {
  /// What a character costs that is no token.
  private static let unknownPenalty = 10.0

  let vocabulary: Vocabulary
  private let scores: [Double]
  private let index: PrefixIndex
  private let unknown: Int32?
  private let unknownScore: Double
  private let byteTokens: [Int32?]

  init(_ component: Component) throws {
    var vocabulary = Vocabulary()
    var scores: [Double] = []
    let entries = try component.array("vocab")
    guard entries.count < TokenizerLimits.vocabulary else {
      throw TokenizerError(
        .limit, "\(component.place("vocab")): expected fewer than \(TokenizerLimits.vocabulary) tokens")
    }
    for (id, entry) in entries.enumerated() {
      guard case .array(let parts) = entry, parts.count == 2, case .string(let token) = parts[0],
        case .number(let score) = parts[1]
      else {
        throw TokenizerError(.invalid, "\(component.place("vocab"))[\(id)]: expected a token and its score")
      }
      vocabulary.insert(token, id: Int32(id))
      scores.append(score)
    }
    unknown = component.value("unk_id") == nil ? nil : Int32(try component.id("unk_id"))
    if let unknown, Int(unknown) >= entries.count {
      throw TokenizerError(.invalid, "\(component.place("unk_id")): expected the id of a token, found \(unknown)")
    }
    index = try PrefixIndex(vocabulary.ids)
    unknownScore = (scores.min() ?? 0) - Self.unknownPenalty
    byteTokens = try component.bool("byte_fallback", default: false) ? vocabulary.byteTokens() : []
    (self.vocabulary, self.scores) = (vocabulary, scores)
  }

  /// The best way to a position.
  private struct Node {
    var id: Int32 = -1
    var start = -1
    var score = 0.0
  }

  func encode(_ piece: ArraySlice<Unicode.Scalar>, into ids: inout [Int32]) throws {
    let text = piece.bytes
    var best = [Node](repeating: Node(), count: text.count + 1)
    var start = 0
    for scalar in piece {
      let end = start + UTF8.width(scalar)
      let score = best[start].score
      var hasSingle = false
      index.forEachPrefix(of: text, from: start) { id, stop in
        improve(&best[stop], id, start, score + scores[Int(id)])
        hasSingle = hasSingle || stop == end
      }
      if !hasSingle {
        guard let unknown else { throw Self.unknownText }
        improve(&best[end], unknown, start, score + unknownScore)
      }
      start = end
    }
    for range in ranges(best) { try append(text[range], to: &ids) }
  }

  private func improve(_ node: inout Node, _ id: Int32, _ start: Int, _ score: Double) {
    if node.start < 0 || score > node.score { node = Node(id: id, start: start, score: score) }
  }

  /// The ranges of the best split. Unknown characters next to each other are one range.
  private func ranges(_ best: [Node]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var end = best.count - 1
    var isUnknown = false
    while end > 0, best[end].start >= 0 {
      let node = best[end]
      if node.id == unknown, isUnknown, let last = ranges.popLast() {
        ranges.append(node.start..<last.upperBound)
      } else {
        ranges.append(node.start..<end)
      }
      (isUnknown, end) = (node.id == unknown, node.start)
    }
    return ranges.reversed()
  }

  private func append(_ token: ArraySlice<UInt8>, to ids: inout [Int32]) throws {
    if let id = vocabulary.id(token) {
      ids.append(id)
      return
    }
    let bytes = byteTokens.isEmpty ? [] : token.compactMap { byteTokens[Int($0)] }
    if !bytes.isEmpty, bytes.count == token.count {
      ids += bytes
    } else if let unknown {
      ids.append(unknown)
    } else {
      throw Self.unknownText
    }
  }

  private static var unknownText: TokenizerError {
    TokenizerError(
      .unknownText, "the text has a character that is not in the vocabulary, and the tokenizer has no unk_id")
  }
}
