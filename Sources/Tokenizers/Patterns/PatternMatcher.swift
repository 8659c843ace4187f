/// Runs a compiled pattern on a text, with a limit on the steps of all its matches.
///
/// It tries alternatives in order, as Oniguruma does. A repeated set is one entry of its stack whatever its length.
struct PatternMatcher {
  private enum Choice {
    /// Go on at an instruction and a position.
    case branch(at: Int, position: Int)
    /// Give back one scalar of a greedy repetition, down to `least`.
    case shorter(at: Int, least: Int, position: Int)
    /// Take one scalar more of a lazy repetition, up to `most`.
    case longer(at: Int, set: Int, most: Int, position: Int)
    /// Restore a register.
    case register(Int, Int)
  }

  private let programs: [[PatternInstruction]]
  private let sets: [ScalarSet]
  private let text: [Unicode.Scalar]
  private var registers: [Int]
  private var steps: Int

  init(_ pattern: Pattern, text: [Unicode.Scalar]) {
    (programs, sets, self.text) = (pattern.programs, pattern.sets, text)
    registers = [Int](repeating: -1, count: pattern.registers)
    steps = TokenizerLimits.patternSteps * (text.count + 64)
  }

  /// The end of the match at a position; nil if there is none.
  mutating func match(at start: Int) throws -> Int? { try run(0, at: start) }

  private mutating func spend(_ count: Int) throws {
    steps -= count
    guard steps >= 0 else {
      throw TokenizerError(
        .limit, "a pattern of the tokenizer needs more than \(TokenizerLimits.patternSteps) steps for each character")
    }
  }

  private mutating func run(_ program: Int, at start: Int) throws -> Int? {
    let code = programs[program]
    var choices: [Choice] = []
    var at = 0
    var position = start
    while true {
      try spend(1)
      var isAlive = true
      switch code[at] {
      case .match: return position
      case .set(let set):
        isAlive = position < text.count && sets[set].contains(text[position])
        (at, position) = (at + 1, position + 1)
      case .repeatSet(let set, let least, let most, let mode):
        isAlive = try repeated(set, least, most, mode, next: at + 1, position: &position, choices: &choices)
        at += 1
      case .split(let first, let second):
        choices.append(.branch(at: second, position: position))
        at = first
      case .jump(let target): at = target
      case .look(let program, let isNegative, let behind):
        let found = position >= behind ? try run(program, at: position - behind) : nil
        isAlive = (found != nil && (behind == 0 || found == position)) != isNegative
        at += 1
      case .atomic(let program):
        if let end = try run(program, at: position) { position = end } else { isAlive = false }
        at += 1
      case .position(let kind):
        isAlive = holds(kind, position)
        at += 1
      case .loopStart(let register):
        choices.append(.register(register, registers[register]))
        registers[register] = position
        at += 1
      case .loopCheck(let register):
        isAlive = registers[register] != position
        at += 1
      }
      if !isAlive {
        guard let (next, place) = try resume(&choices) else { return nil }
        (at, position) = (next, place)
      }
    }
  }

  /// The next place to go on; nil if no choice is left.
  private mutating func resume(_ choices: inout [Choice]) throws -> (Int, Int)? {
    while let choice = choices.popLast() {
      try spend(1)
      switch choice {
      case .branch(let at, let position): return (at, position)
      case .shorter(let at, let least, let position):
        if position - 1 > least { choices.append(.shorter(at: at, least: least, position: position - 1)) }
        return (at, position - 1)
      case .longer(let at, let set, let most, let position):
        guard position < most, position < text.count, sets[set].contains(text[position]) else { continue }
        choices.append(.longer(at: at, set: set, most: most, position: position + 1))
        return (at, position + 1)
      case .register(let register, let value): registers[register] = value
      }
    }
    return nil
  }

  private mutating func repeated(
    _ set: Int, _ least: Int, _ most: Int, _ mode: RepeatMode, next: Int, position: inout Int,
    choices: inout [Choice]
  ) throws -> Bool {
    let start = position
    let most = most > text.count - start ? text.count : start + most
    let wanted = mode == .lazy ? min(start + least, text.count) : most
    let members = sets[set]
    while position < wanted, members.contains(text[position]) { position += 1 }
    try spend(position - start)
    guard position - start >= least else { return false }
    switch mode {
    case .greedy:
      if position > start + least { choices.append(.shorter(at: next, least: start + least, position: position)) }
    case .lazy: choices.append(.longer(at: next, set: set, most: most, position: position))
    case .possessive: break
    }
    return true
  }

  private func holds(_ kind: PatternPosition, _ position: Int) -> Bool {
    switch kind {
    case .textStart: return position == 0
    case .textEnd: return position == text.count
    case .lineStart: return position == 0 || (text[position - 1] == "\n" && position < text.count)
    case .lineEnd: return position == text.count || text[position] == "\n"
    case .textEndOrLastNewline:
      return position == text.count || (position == text.count - 1 && text[position] == "\n")
    case .wordBoundary, .noWordBoundary:
      let before = position > 0 && ScalarKind.isPatternWord(text[position - 1])
      let after = position < text.count && ScalarKind.isPatternWord(text[position])
      return (before != after) == (kind == .wordBoundary)
    }
  }
}
