import Foundation
import Testing

/// docs/api-coverage.md lists the symbols that `Sources/Parity.swift` uses. That file only compiles if the symbols exist.
@Suite struct ParityTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let document = folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/api-coverage.md")

  @Test func theDocumentIsMadeOfTheSource() throws {
    let source = try String(contentsOf: Self.folder.appending(path: "Sources/Parity.swift"), encoding: .utf8)
    let text = Self.document(of: source)
    // COREML_WRITE_PARITY=1 writes the document.
    if ProcessInfo.processInfo.environment["COREML_WRITE_PARITY"] != nil {
      try text.write(to: Self.document, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: Self.document, encoding: .utf8) == text, "COREML_WRITE_PARITY=1 writes the document")
  }

  private struct Section {
    let title: String
    var same: [String] = []
    var other: [(symbol: String, remark: String)] = []
    var absent: [(symbol: String, remark: String)] = []
    var count: Int { same.count + other.count + absent.count }
  }

  private static func document(of source: String) -> String {
    var sections: [Section] = []
    for line in source.split(separator: "\n") {
      if line.hasPrefix("//# ") {
        sections.append(Section(title: String(line.dropFirst(4))))
        continue
      }
      guard !sections.isEmpty else { continue }
      let last = sections.count - 1
      if let mark = line.range(of: "//= ") {
        sections[last].same += names(line[mark.upperBound...])
      } else if let mark = line.range(of: "//~ ") {
        sections[last].other.append(remark(line[mark.upperBound...]))
      } else if let mark = line.range(of: "//x ") {
        sections[last].absent.append(remark(line[mark.upperBound...]))
      }
    }
    var text = """
      # API coverage: which symbols of Apple's Core ML exist here

      A test writes this page from `Tests/CoreMLTests/Sources/Parity.swift`. That file uses every symbol, and is compiled in the Swift 5 and Swift 6 language modes.
      So every symbol that this page lists as equal exists.

      | section | equal | different | absent |
      | --- | ---: | ---: | ---: |

      """
    for section in sections {
      text += "| \(section.title) | \(section.same.count) | \(section.other.count) | \(section.absent.count) |\n"
    }
    text += "| all | \(sections.reduce(0) { $0 + $1.same.count }) | \(sections.reduce(0) { $0 + $1.other.count }) | "
    text += "\(sections.reduce(0) { $0 + $1.absent.count }) |\n"
    for section in sections {
      text += "\n## \(section.title)\n\n"
      if !section.same.isEmpty { text += "Equal:\n\n" + section.same.map { "- `\($0)`\n" }.joined() }
      for (word, list) in [("Different", section.other), ("Absent", section.absent)] {
        for item in list { text += "\n- \(word): `\(item.symbol)`: \(item.remark)." }
        if !list.isEmpty { text += "\n" }
      }
    }
    return text
  }

  /// Names separated by commas. Commas within parentheses are part of a name.
  private static func names(_ text: Substring) -> [String] {
    var names: [String] = [""]
    var depth = 0
    for character in text {
      if character == "(" || character == "[" { depth += 1 }
      if character == ")" || character == "]" { depth -= 1 }
      if character == ",", depth == 0 { names.append("") } else { names[names.count - 1].append(character) }
    }
    return names.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func remark(_ text: Substring) -> (String, String) {
    guard let mark = text.range(of: ": ", options: .backwards) else { return (String(text), "") }
    return (String(text[..<mark.lowerBound]), String(text[mark.upperBound...]))
  }
}
