/// A pattern of a tokenizer.
///
/// The project has its own matcher for three reasons: Swift's `Regex` is slow on Unicode scalars, ICU gives up silently
/// when its stack is full, and neither bounds the time that a hostile pattern takes.
struct Pattern: Sendable {
  let programs: [[PatternInstruction]]
  let sets: [ScalarSet]
  let registers: Int

  init(_ source: String) throws { try self.init(PatternParser.parse(source)) }

  /// A pattern that matches a text literally.
  init(literal: String) throws {
    try self.init(.sequence(literal.unicodeScalars.map { .set(ScalarSet($0)) }))
  }

  private init(_ node: PatternNode) throws {
    var compiler = PatternCompiler()
    _ = try compiler.program(node)
    (programs, sets, registers) = (compiler.programs, compiler.sets, compiler.registers)
  }

  /// The pattern of a component: `{"String": ...}` or `{"Regex": ...}`.
  init(_ component: Component, _ key: String) throws {
    guard let pattern = try component.component(key) else {
      throw TokenizerError(.invalid, "\(component.place(key)): expected a pattern, found nothing")
    }
    if pattern.has("Regex") {
      try self.init(try pattern.string("Regex"))
    } else {
      try self.init(literal: try pattern.string("String"))
    }
  }

  /// The parts of a text in order, and whether each matches.
  func parts(of text: [Unicode.Scalar]) throws -> [(range: Range<Int>, isMatch: Bool)] {
    var matcher = PatternMatcher(self, text: text)
    var parts: [(range: Range<Int>, isMatch: Bool)] = []
    var end = 0
    var at = 0
    var lastMatch = -1
    while at <= text.count {
      guard let stop = try matcher.match(at: at) else {
        at += 1
        continue
      }
      // An empty match directly after a match is none.
      if stop > at || at != lastMatch {
        if end < at { parts.append((end..<at, false)) }
        parts.append((at..<stop, true))
        (end, lastMatch) = (stop, stop)
      }
      at = stop > at ? stop : at + 1
    }
    if end < text.count { parts.append((end..<text.count, false)) }
    return parts
  }
}
