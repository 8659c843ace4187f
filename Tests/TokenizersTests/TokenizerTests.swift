import Foundation
import Testing

@testable import CoreMLTokenizers

@Suite struct TokenizerTests {
  static func sample(_ name: String) throws -> Tokenizer {
    try Tokenizer(contentsOf: SampleText.folder.appending(path: "tokenizers/\(name).json"))
  }

  @Test(arguments: ReferenceTests.names) func streamsEqualWholeTexts(name: String) throws {
    let tokenizer = try Self.sample(name)
    for text in try SampleText.strings().prefix(40) {
      let ids = try tokenizer.encode(text)
      var stream = TextStream(tokenizer)
      var pieces: [String] = []
      for id in ids { pieces.append(try stream.append(id)) }
      pieces.append(try stream.finish())
      let whole = try tokenizer.decode(ids)
      #expect(pieces.joined().unicodeScalars.elementsEqual(whole.unicodeScalars), "\(text.debugDescription)")
    }
  }

  @Test func streamsHoldBackIncompleteCharacters() throws {
    for name in ["gpt2", "llama2"] {
      let tokenizer = try Self.sample(name)
      let ids = try tokenizer.encode("\u{20000}", addingSpecialTokens: false)
      #expect(ids.count >= 3, "the character is no token, so it comes in bytes")
      var stream = TextStream(tokenizer)
      let pieces = try ids.map { try stream.append($0) }
      #expect(pieces.dropLast().allSatisfy { $0.isEmpty } && pieces.last?.contains("\u{20000}") == true)
      var cut = TextStream(tokenizer)
      for id in ids.dropLast() { #expect(try cut.append(id).isEmpty) }
      #expect(try cut.finish().contains("\u{FFFD}"))
    }
  }

  @Test func specialTokensCanBeLeftOut() throws {
    let tokenizer = try Self.sample("llama3")
    let start = try #require(tokenizer.id(for: "<|begin_of_text|>"))
    #expect(tokenizer.isSpecial(start) && tokenizer.token(for: start) == "<|begin_of_text|>")
    let ids = try tokenizer.encode("Hi<|end_of_text|>")
    #expect(ids.first == start && ids.last == tokenizer.id(for: "<|end_of_text|>"))
    #expect(try tokenizer.encode("Hi<|end_of_text|>", addingSpecialTokens: false) == Array(ids.dropFirst()))
    #expect(try tokenizer.decode(ids) == "Hi")
    #expect(try tokenizer.decode(ids, skippingSpecialTokens: false) == "<|begin_of_text|>Hi<|end_of_text|>")
    #expect(
      try tokenizer.decode([1 << 40, -1]) == "" && tokenizer.token(for: -1) == nil
        && tokenizer.id(for: "no token") == nil)
    #expect(tokenizer.vocabularyCount == 1000)
  }

  /// Swift's strings are equal if they are canonically equivalent. Tokens are not.
  @Test func equivalentTokensStayApart() throws {
    let json = #"{"model": {"vocab": {"<unk>": 0, "\u8c48": 1, "\uf900": 2, "\u00e9": 3, "e\u0301": 4}}}"#
    let tokenizer = try Tokenizer(Data(json.utf8))
    #expect(
      try ["\u{8C48}", "\u{F900}", "\u{E9}", "e\u{301}"].map { try tokenizer.encode($0) } == [[1], [2], [3], [4]])
    #expect(tokenizer.vocabularyCount == 5)
  }

  /// What the library gives, where Foundation alone gives something else or takes long.
  @Test func formsOfMarksAndHalfwidthLettersAreThoseOfTheLibrary() throws {
    func normalized(_ text: String, _ form: UnicodeNormalizer.Form) throws -> [UInt32] {
      let text = NormalizedText(scalars: Array(text.unicodeScalars), starts: 0)
      return try UnicodeNormalizer(form: form).normalize(text).scalars.map(\.value)
    }
    #expect(try normalized("\u{FFB3}\u{FFDA}", .compatibilityComposed) == [0xC058])
    #expect(try normalized("a\u{301}\u{323}\u{F73}\u{301}", .decomposed) == [0x61, 0xF71, 0xF72, 0x323, 0x301, 0x301])
    #expect(try normalized("\u{FF76}\u{FF9E}\u{301}", .compatibilityComposed) == [0x30AC, 0x301])
  }

  @Test func numbersAreRoundedAsByTheLibrary() throws {
    func number(_ text: String) -> Double? { JSONNumber.parse(Array(text.utf8)[...])?.0 }
    #expect(number("-0.5") == -0.5 && number("12e3") == 12000 && number("1E-2") == 0.01 && number("0") == 0)
    #expect(number("123456789012345678901234567890") == 1234567890123456789e11 * 1 && number("1e-400") == 0)
    #expect(number("1e400") == nil && number("-") == nil && number("1.") == nil && number("1e") == nil)
    // The nearest number would be one unit in the last place away.
    #expect(number("-7.1946854799499855") == -(71946854799499855.0 / 1e16))
  }

  @Test func endTokensComeFromFilesBesideTheTokenizer() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tokenizer = try Self.sample("llama3")
    let file = folder.appending(path: "tokenizer.json")
    func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: folder.appending(path: name)) }
    #expect(try tokenizer.endTokens(beside: file).isEmpty)
    try write("tokenizer_config.json", #"{"eos_token": {"content": "<|end_of_text|>"}}"#)
    #expect(try tokenizer.endTokens(beside: file) == [1])
    try write("tokenizer_config.json", #"{"eos_token": "<|begin_of_text|>"}"#)
    #expect(try tokenizer.endTokens(beside: file) == [0])
    try write("config.json", #"{"eos_token_id": 7}"#)
    #expect(try tokenizer.endTokens(beside: file) == [7])
    try write("generation_config.json", #"{"eos_token_id": [5, 6]}"#)
    #expect(try tokenizer.endTokens(beside: folder) == [5, 6])
    try write("generation_config.json", "{")
    #expect(throws: TokenizerError.self) { try tokenizer.endTokens(beside: folder) }
  }
}
