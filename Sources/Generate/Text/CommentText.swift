/// Makes an author's text safe for comments.
enum CommentText {
  /// Scalars beyond this count are dropped.
  private static let limit = 10_000

  /// The lines of a text, without characters that break lines, move the cursor or change the text direction. It works
  /// on scalars, as compilers do, not on characters of several scalars.
  static func lines(_ text: String) -> [String] {
    var lines = [""]
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars.prefix(limit) {
      if Character(scalar).isNewline {
        if scalar != "\n" || previous != "\r" { lines.append("") }
      } else if isVisible(scalar) {
        lines[lines.count - 1].unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    lines = lines.map { trimmed($0) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The text on one line.
  static func line(_ text: String) -> String { lines(text).filter { !$0.isEmpty }.joined(separator: " ") }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\t" || scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
    default: return true
    }
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.unicodeScalars.last?.properties.isWhitespace == true { line.unicodeScalars.removeLast() }
    return line
  }
}

extension CodeWriter {
  /// Documentation comments of Swift and C, one comment per line.
  mutating func document(_ text: String...) {
    for text in text {
      for text in CommentText.lines(text) {
        // A backslash at the end, or its trigraph, would continue a C comment on the next line. The check compares
        // bytes: a combining mark would change the character, but not the compiler's view.
        let continues = ["\\", "??/"].contains { text.utf8.reversed().starts(with: $0.utf8.reversed()) }
        line(text.isEmpty ? "///" : "/// \(text)\(continues ? " ." : "")")
      }
    }
  }
}
