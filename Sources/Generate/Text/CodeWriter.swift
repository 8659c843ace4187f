/// Lines of code, indented as they are nested.
struct CodeWriter {
  private(set) var text = ""
  private var depth = 0
  private let indentation: String

  init(indentation: String = "    ") { self.indentation = indentation }

  /// A line; an empty one has no blanks.
  mutating func line(_ line: String = "") {
    if !line.isEmpty { text += String(repeating: indentation, count: depth) + line }
    text += "\n"
  }

  mutating func lines(_ lines: [String]) { for line in lines { self.line(line) } }

  /// Lines that stand deeper than those around them.
  mutating func indented(_ body: (inout CodeWriter) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// `head {`, lines, `}`.
  mutating func block(_ head: String, _ body: (inout CodeWriter) -> Void) {
    line("\(head) {")
    indented(body)
    line("}")
  }
}
