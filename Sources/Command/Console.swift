import Foundation

/// Standard output and error, for people or for programs.
enum Console {
  static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  static let errorIsTerminal = isatty(STDERR_FILENO) == 1

  /// One line on standard error, whatever is in the sentence.
  static func complain(_ sentence: String) {
    ProgressBar.clearCurrent()
    write("runtime: \(oneLine(sentence))\n", to: STDERR_FILENO)
  }

  /// Text on standard output.
  static func say(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// A value as JSON on standard output: indented on a terminal, one line otherwise. NaN and infinities are strings.
  static func say<Value: Encodable>(json value: Value) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      outputIsTerminal
      ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    say(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Columns padded to their widest cell; numbers to the right.
  static func table(_ rows: [[String]], rightAligned: Set<Int> = []) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += rightAligned.contains(column) ? padding + cell : column == row.count - 1 ? cell : cell + padding
        if column < row.count - 1 { line += "  " }
      }
      return line
    }.joined(separator: "\n")
  }

  static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Names in files may hold anything; a terminal or a log gets one line of printable text.
  static func oneLine(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Character in
      scalar.properties.generalCategory == .control || scalar.value == 0x2028 || scalar.value == 0x2029
        ? " " : Character(scalar)
    }
    let line = String(scalars).split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    return line.count > 2000 ? line.prefix(2000) + "..." : line
  }

  static func bytes(_ count: Int) -> String {
    var value = Double(count)
    for unit in ["bytes", "KB", "MB", "GB"] {
      if value < 1000 || unit == "GB" {
        return unit == "bytes" ? "\(count) bytes" : String(format: "%.1f %@", value, unit)
      }
      value /= 1000
    }
    return "\(count) bytes"
  }
}
