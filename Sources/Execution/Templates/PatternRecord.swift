import MIL

/// The attentions that a pass found in a function, so that for other shapes only those are looked for again that read
/// what changed.
struct PatternRecord {
  private let pass: RecogniseAttention
  private let walk: ViewWalk
  private let patterns: [Pattern]

  private struct Pattern {
    let index: Int
    let found: FoundAttention?
    /// The position in the output of the operation that replaces it.
    let position: Int?
  }

  /// Nil if patterns depend on each other, so that the pass did not replace each as it was found.
  ///
  /// - Parameter indices: The operations at which the pass looked.
  init?(_ pass: RecogniseAttention, _ source: Function, at indices: [Int], _ output: Function) {
    let walk = ViewWalk(source)
    let uses = Uses(output)
    var patterns: [Pattern] = []
    for index in indices {
      guard let found = pass.found(at: index, walk) else {
        patterns.append(Pattern(index: index, found: nil, position: nil))
        continue
      }
      guard let name = found.operation.outputs.first?.name, let position = uses.maker(of: name),
        case let made = output.body.operations[position], made.hasStructure(of: found.operation),
        made.isSame(as: found.operation)
      else { return nil }
      patterns.append(Pattern(index: index, found: found, position: position))
    }
    (self.pass, self.walk, self.patterns) = (pass, walk, patterns)
  }

  /// The operations for other shapes by position in the output, of the patterns with these numbers. Nil if the result
  /// would have another structure.
  func replayed(_ numbers: [Int], _ overlay: Overlay) -> [Int: Operation]? {
    let walk = walk.with(overlay)
    var result: [Int: Operation] = [:]
    for number in numbers {
      let (pattern, new) = (patterns[number], pass.found(at: patterns[number].index, walk))
      guard let found = pattern.found else {
        if new == nil { continue }
        return nil
      }
      guard let new, new.hasStructure(of: found), let position = pattern.position else { return nil }
      result[position] = new.operation
    }
    return result
  }
}
