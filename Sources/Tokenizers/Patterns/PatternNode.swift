/// A parsed pattern.
indirect enum PatternNode {
  case set(ScalarSet)
  case sequence([PatternNode])
  case alternatives([PatternNode])
  case repeated(PatternNode, least: Int, most: Int?, RepeatMode)
  /// A condition on the text after (or before, with a width) the position.
  case look(PatternNode, isNegative: Bool, isBehind: Bool)
  /// A group that is not entered again after it has matched.
  case atomic(PatternNode)
  case position(PatternPosition)

  /// The number of scalars that the node matches, if it is always the same.
  var width: Int? {
    switch self {
    case .set: return 1
    case .sequence(let nodes):
      var total = 0
      for node in nodes {
        guard let width = node.width else { return nil }
        total += width
      }
      return total
    case .alternatives(let nodes):
      guard let first = nodes.first?.width, nodes.allSatisfy({ $0.width == first }) else { return nil }
      return first
    case .repeated(let node, let least, let most, _):
      guard least == most, let width = node.width else { return nil }
      return least * width
    case .look, .position: return 0
    case .atomic(let node): return node.width
    }
  }
}

/// How many repetitions are tried first, and whether others are tried.
enum RepeatMode {
  case greedy, lazy, possessive
}

/// A position in a text.
enum PatternPosition {
  case textStart, textEnd, lineStart, lineEnd, textEndOrLastNewline, wordBoundary, noWordBoundary
}
