/// Text of a model's author as it may stand in comments, whatever it holds.
enum CommentText {
  /// More scalars than that are no documentation.
  private static let limit = 10_000

  /// The text line by line, without what ends a line, moves a cursor or turns the direction of reading.
  ///
  /// Compilers know no characters that consist of several scalars, and neither does this.
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
  /// Documentation in the comments of Swift and of C: a line each, which nothing but its end ends.
  mutating func document(_ text: String...) {
    for text in text {
      for text in CommentText.lines(text) {
        // A backslash at the end would make the next line part of the comment in C, and so would the trigraph that stands for it.
        // Told by the bytes: a mark before it, or one that joins it, makes another character of it for people alone.
        let continues = ["\\", "??/"].contains { text.utf8.reversed().starts(with: $0.utf8.reversed()) }
        line(text.isEmpty ? "///" : "/// \(text)\(continues ? " ." : "")")
      }
    }
  }
}
