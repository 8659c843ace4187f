/// Builds lines of code with nested indentation.
struct CodeWriter {
  private(set) var text = ""
  private var depth = 0
  private let indentation: String

  init(indentation: String = "    ") { self.indentation = indentation }

  /// Adds a line; an empty line has no indentation.
  mutating func line(_ line: String = "") {
    if !line.isEmpty { text += String(repeating: indentation, count: depth) + line }
    text += "\n"
  }

  mutating func lines(_ lines: [String]) { for line in lines { self.line(line) } }

  /// Adds lines at a deeper level.
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
