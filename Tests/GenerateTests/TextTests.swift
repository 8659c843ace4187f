import Testing

@testable import CoreMLGenerate

@Suite struct TextTests {
  static let hostile = "a\"b\\c\n\r\t\0\u{7f}\u{85}\u{2028}\u{202E}\u{301}??/\\(x) é 🙂"

  @Test func literalsHoldNothingThatEndsThem() {
    for literal in [
      Literals.swift(Self.hostile), Literals.c(Self.hostile), Literals.python(Self.hostile),
      Literals.json(Self.hostile),
    ] {
      let inner = literal.dropFirst().dropLast()
      #expect(inner.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0.value != 0x2028 })
      // Every quote and backslash is escaped, so the text without escapes has none.
      let bare = inner.replacing("\\\\", with: "").replacing("\\\"", with: "")
      #expect(!bare.contains("\""))
    }
    #expect(Literals.swift("a\"\\(x)\n") == #""a\"\\(x)\u{a}""#)
    #expect(Literals.c("a\"??/\n\u{85}\u{202E}1") == #""a\"\?\?/\012\302\205\U0000202e1""#)
    #expect(Literals.python("\0'1\"") == #""\U00000000'1\"""#)
    #expect(Literals.json("\u{1F600}\u{202E}") == "\"\u{1F600}\\u202e\"")
  }

  @Test func commentsStayOnTheirLines() {
    #expect(CommentText.lines("one\r\ntwo\u{2028}three\u{0B}four  \n\n") == ["one", "two", "three", "four"])
    #expect(CommentText.line("a\u{202E}b\0\nc") == "ab c")
    var code = CodeWriter()
    code.document("ends \\", "trigraph ??/", "x\n#error y")
    #expect(code.text == "/// ends \\ .\n/// trigraph ??/ .\n/// x\n/// #error y\n")
  }

  /// A joining character forms one grapheme with a following backslash. A compiler still sees the backslash.
  @Test func commentsEndWithNoBackslashOfTheirBytes() {
    var code = CodeWriter()
    code.document("a\u{0D4E}\\", "b\u{0D4E}??/", "c\u{0D4E}\\ \t\nd")
    let lines = code.text.split(separator: "\n")
    #expect(lines.count == 4 && lines.prefix(3).allSatisfy { $0.utf8.suffix(2).elementsEqual(" .".utf8) }, "\(lines)")
    // A grapheme with many combining marks does not exceed the length limit.
    #expect(CommentText.lines("e" + String(repeating: "\u{301}", count: 20_000))[0].unicodeScalars.count == 10_000)
  }

  @Test func membersOfJSONKeepTheirOrder() {
    let json = OrderedJSON.object([
      ("b", .array([.integer(1), .bool(true)])), ("a", .object([])), ("c", .array([.object([("x", .string("y"))])])),
    ])
    #expect(
      json.text() == "{\n  \"b\": [1, true],\n  \"a\": {},\n  \"c\": [\n    {\n      \"x\": \"y\"\n    }\n  ]\n}\n")
  }
}
