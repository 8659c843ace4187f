/// Parses the patterns of `tokenizer.json` files: the syntax of Oniguruma, as far as tokenizers use it.
///
/// Back references, calls, conditionals and absent operators are refused by name.
struct PatternParser {
  let source: [Unicode.Scalar]
  var at = 0
  private var ignoresCase = false
  private var depth = 0

  private init(_ source: String) { self.source = Array(source.unicodeScalars) }

  /// - Throws: `TokenizerError` of code `.unsupported`, with the pattern.
  static func parse(_ source: String) throws -> PatternNode {
    var parser = PatternParser(source)
    let node = try parser.alternatives()
    guard parser.at == parser.source.count else { throw parser.unsupported("an unmatched parenthesis") }
    return node
  }

  func unsupported(_ what: String) -> TokenizerError {
    let shown = String(String.UnicodeScalarView(source.prefix(200)))
    return TokenizerError(.unsupported, "the pattern '\(shown)': \(what) at character \(at) is not supported")
  }

  var current: Unicode.Scalar? { at < source.count ? source[at] : nil }

  mutating func take(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard source[at...].starts(with: scalars) else { return false }
    at += scalars.count
    return true
  }

  func set(_ set: ScalarSet) -> PatternNode {
    var set = set
    set.foldsCase = ignoresCase
    return .set(set)
  }

  private mutating func alternatives() throws -> PatternNode {
    guard depth < TokenizerLimits.patternDepth else { throw unsupported("a group in \(depth) others") }
    depth += 1
    // An option such as (?i) holds to the end of its group.
    let before = ignoresCase
    defer { (depth, ignoresCase) = (depth - 1, before) }
    var nodes = [try sequence()]
    while take("|") { nodes.append(try sequence()) }
    return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
  }

  private mutating func sequence() throws -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = current, scalar != "|", scalar != ")" {
      guard let node = try atom() else { continue }
      nodes.append(try repeated(node))
    }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func atom() throws -> PatternNode? {
    guard let scalar = current else { return nil }
    switch scalar {
    case "(":
      at += 1
      return try group()
    case "[":
      at += 1
      return set(try bracket(depth: 0))
    case "\\":
      at += 1
      return try escape()
    case ".":
      at += 1
      return .set(ScalarSet("\n").negated)
    case "^":
      at += 1
      return .position(.lineStart)
    case "$":
      at += 1
      return .position(.lineEnd)
    case "*", "+", "?": throw unsupported("a repetition of nothing")
    default:
      at += 1
      return set(ScalarSet(scalar))
    }
  }

  private mutating func group() throws -> PatternNode? {
    if take("?") {
      if take(":") { return try closed(alternatives()) }
      if take("=") { return .look(try closed(alternatives()), isNegative: false, isBehind: false) }
      if take("!") { return .look(try closed(alternatives()), isNegative: true, isBehind: false) }
      if take("<=") { return .look(try closed(alternatives()), isNegative: false, isBehind: true) }
      if take("<!") { return .look(try closed(alternatives()), isNegative: true, isBehind: true) }
      if take(">") { return .atomic(try closed(alternatives())) }
      let isOff = take("-")
      guard take("i") else { throw unsupported("a group (?\(current.map { String($0) } ?? ""))") }
      if take(")") {
        ignoresCase = !isOff
        return nil
      }
      guard take(":") else { throw unsupported("an option other than (?i)") }
      let before = ignoresCase
      defer { ignoresCase = before }
      ignoresCase = !isOff
      return try closed(alternatives())
    }
    return try closed(alternatives())
  }

  private mutating func closed(_ node: PatternNode) throws -> PatternNode {
    guard take(")") else { throw unsupported("a group without an end") }
    return node
  }

  private mutating func repeated(_ node: PatternNode) throws -> PatternNode {
    var node = node
    while let (least, most, isBraced) = try count() {
      var mode = RepeatMode.greedy
      if take("?") {
        // In Oniguruma x{n}? is an optional x{n}.
        if isBraced, least == most { throw unsupported("a question mark after {\(least)}") }
        mode = .lazy
      } else if current == "+" {
        if isBraced { throw unsupported("a plus sign after braces") }
        at += 1
        mode = .possessive
      }
      node = .repeated(node, least: least, most: most, mode)
    }
    return node
  }

  /// The numbers of a repetition; nil if there is none at this position.
  private mutating func count() throws -> (least: Int, most: Int?, isBraced: Bool)? {
    if take("*") { return (0, nil, false) }
    if take("+") { return (1, nil, false) }
    if take("?") { return (0, 1, false) }
    guard current == "{" else { return nil }
    let start = at
    at += 1
    let least = try number()
    var most = least
    if take(",") { most = try number() }
    let isOpenEnded = source[at - 1] == ","
    guard take("}"), least != nil || most != nil else {
      // A brace that begins no repetition is a character.
      at = start
      return nil
    }
    if let least, let most, least > most { throw unsupported("a repetition of \(least) to \(most) times") }
    return (least ?? 0, isOpenEnded ? nil : most, true)
  }

  private mutating func number() throws -> Int? {
    var number: Int?
    while let scalar = current, ("0"..."9").contains(scalar) {
      number = (number ?? 0) * 10 + Int(scalar.value - 0x30)
      at += 1
      guard number ?? 0 <= 1000 else { throw unsupported("a repetition of more than 1000 times") }
    }
    return number
  }
}
