/// A part of a text between special tokens, on its way to the model.
struct Piece {
  var text: ArraySlice<Unicode.Scalar>
  /// How many of the first scalars come from the first scalar of the whole text.
  let starts: Int

  /// Parts of the piece that are not empty, by their ranges relative to it.
  func parts(_ ranges: some Sequence<Range<Int>>) -> [Piece] {
    ranges.compactMap { range in
      guard !range.isEmpty else { return nil }
      let part = text[text.startIndex + range.lowerBound..<text.startIndex + range.upperBound]
      return Piece(text: part, starts: max(0, starts - range.lowerBound))
    }
  }

  /// Parts that are matched scalar by scalar.
  func parts(where isMatch: (Unicode.Scalar) -> Bool) -> [(range: Range<Int>, isMatch: Bool)] {
    var parts: [(range: Range<Int>, isMatch: Bool)] = []
    var start = 0
    for (place, scalar) in text.enumerated() where isMatch(scalar) {
      if start < place { parts.append((start..<place, false)) }
      parts.append((place..<place + 1, true))
      start = place + 1
    }
    if start < text.count { parts.append((start..<text.count, false)) }
    return parts
  }
}

/// What happens to the matches of a pattern that splits a text.
enum SplitBehavior: String, Sendable {
  case removed = "Removed"
  case isolated = "Isolated"
  case mergedWithPrevious = "MergedWithPrevious"
  case mergedWithNext = "MergedWithNext"
  case contiguous = "Contiguous"

  init(_ component: Component) throws {
    let name = try component.string("behavior")
    // Files by other writers have the names of the Python interface.
    let word = name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    guard let behavior = Self(rawValue: name) ?? Self(rawValue: word) else {
      throw component.unsupported("the behavior \(name)")
    }
    self = behavior
  }

  /// The ranges of the new pieces.
  func ranges(_ parts: [(range: Range<Int>, isMatch: Bool)]) -> [Range<Int>] {
    switch self {
    case .isolated: return parts.map(\.range)
    case .removed: return parts.filter { !$0.isMatch }.map(\.range)
    case .contiguous: return merged(parts) { $0 == $1 }
    case .mergedWithPrevious: return merged(parts) { !$0 && $1 }
    case .mergedWithNext:
      let reversed = merged(parts.reversed()) { !$0 && $1 }
      return reversed.reversed()
    }
  }

  /// Joins a part to the one before it if `joins` says so about their matches.
  private func merged(
    _ parts: some Sequence<(range: Range<Int>, isMatch: Bool)>, _ joins: (Bool, Bool) -> Bool
  ) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var previous = false
    for (range, isMatch) in parts {
      if joins(previous, isMatch), let last = ranges.last {
        ranges[ranges.count - 1] =
          min(last.lowerBound, range.lowerBound)..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
      previous = isMatch
    }
    return ranges
  }
}
