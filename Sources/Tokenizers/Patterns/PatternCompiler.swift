/// An instruction of a compiled pattern.
enum PatternInstruction: Sendable {
  case set(Int)
  /// Repeats a set.
  case repeatSet(Int, least: Int, most: Int, RepeatMode)
  /// Goes on at the first place, and at the second one if that fails.
  case split(Int, Int)
  case jump(Int)
  /// Runs another program at this position, or `behind` scalars before it.
  case look(program: Int, isNegative: Bool, behind: Int)
  case atomic(program: Int)
  case position(PatternPosition)
  /// Stores the position of an iteration, or ends a loop whose iteration matched nothing.
  case loopStart(Int)
  case loopCheck(Int)
  case match
}

/// Compiles parsed patterns for `PatternMatcher`.
struct PatternCompiler {
  private(set) var programs: [[PatternInstruction]] = []
  private(set) var sets: [ScalarSet] = []
  private(set) var registers = 0
  private var size = 0

  /// Compiles a node as the program whose number is returned.
  mutating func program(_ node: PatternNode) throws -> Int {
    let number = programs.count
    programs.append([])
    var code: [PatternInstruction] = []
    try emit(node, into: &code)
    code.append(.match)
    programs[number] = code
    return number
  }

  private mutating func add(_ instruction: PatternInstruction, to code: inout [PatternInstruction]) throws {
    size += 1
    guard size <= TokenizerLimits.patternSize else {
      throw TokenizerError(.limit, "a pattern has more than \(TokenizerLimits.patternSize) instructions")
    }
    code.append(instruction)
  }

  private mutating func number(of set: ScalarSet) -> Int {
    sets.append(set.finished())
    return sets.count - 1
  }

  private mutating func emit(_ node: PatternNode, into code: inout [PatternInstruction]) throws {
    switch node {
    case .set(let set): try add(.set(number(of: set)), to: &code)
    case .sequence(let nodes): for node in nodes { try emit(node, into: &code) }
    case .alternatives(let nodes): try emit(alternatives: nodes, into: &code)
    case .repeated(let node, let least, let most, let mode):
      try emit(node, least: least, most: most, mode, into: &code)
    case .look(let node, let isNegative, let isBehind):
      if isBehind { return try emit(behind: node, isNegative: isNegative, into: &code) }
      try add(.look(program: program(node), isNegative: isNegative, behind: 0), to: &code)
    case .atomic(let node): try add(.atomic(program: program(node)), to: &code)
    case .position(let position): try add(.position(position), to: &code)
    }
  }

  private mutating func emit(alternatives nodes: [PatternNode], into code: inout [PatternInstruction]) throws {
    var jumps: [Int] = []
    for (index, node) in nodes.enumerated() {
      let isLast = index == nodes.count - 1
      let split = code.count
      if !isLast { try add(.split(split + 1, 0), to: &code) }
      try emit(node, into: &code)
      if !isLast {
        jumps.append(code.count)
        try add(.jump(0), to: &code)
        code[split] = .split(split + 1, code.count)
      }
    }
    for jump in jumps { code[jump] = .jump(code.count) }
  }

  /// Alternatives of one look-behind may differ in width.
  private mutating func emit(
    behind node: PatternNode, isNegative: Bool, into code: inout [PatternInstruction]
  ) throws {
    guard let width = node.width else {
      throw TokenizerError(.unsupported, "a look-behind whose width varies is not supported in a pattern")
    }
    try add(.look(program: program(node), isNegative: isNegative, behind: width), to: &code)
  }

  private mutating func emit(
    _ node: PatternNode, least: Int, most: Int?, _ mode: RepeatMode, into code: inout [PatternInstruction]
  ) throws {
    if case .set(let set) = node {
      return try add(.repeatSet(number(of: set), least: least, most: most ?? .max, mode), to: &code)
    }
    if mode == .possessive {
      let greedy = PatternNode.repeated(node, least: least, most: most, .greedy)
      return try add(.atomic(program: program(greedy)), to: &code)
    }
    for _ in 0..<least { try emit(node, into: &code) }
    if let most {
      // Each optional copy is followed by the next, and all exits lead to the end.
      var splits: [Int] = []
      for _ in least..<most {
        splits.append(code.count)
        try add(.split(0, 0), to: &code)
        try emit(node, into: &code)
      }
      for split in splits { code[split] = branch(enter: split + 1, leave: code.count, mode) }
    } else {
      let start = code.count
      let register = registers
      registers += 1
      try add(.split(0, 0), to: &code)
      try add(.loopStart(register), to: &code)
      try emit(node, into: &code)
      try add(.loopCheck(register), to: &code)
      try add(.jump(start), to: &code)
      code[start] = branch(enter: start + 1, leave: code.count, mode)
    }
  }

  private func branch(enter: Int, leave: Int, _ mode: RepeatMode) -> PatternInstruction {
    mode == .lazy ? .split(leave, enter) : .split(enter, leave)
  }
}
