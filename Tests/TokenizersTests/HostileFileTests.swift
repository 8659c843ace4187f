import Foundation
import Testing

@testable import CoreMLTokenizers

/// Files and texts that must end with an error, or in little time.
@Suite struct HostileFileTests {
  private func read(_ json: String) throws -> Tokenizer { try Tokenizer(Data(json.utf8)) }

  private func sample(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: SampleText.folder.appending(path: "tokenizers/\(name).json")))
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{}", #"{"model": 1}"#, #"{"model": {"type": "BPE"}}"#,
    #"{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}"#,
    #"{"model": {"type": "BPE", "vocab": {"a": 1e12}, "merges": []}}"#,
    #"{"model": {"type": "BPE", "vocab": {"a": 0.5}, "merges": []}}"#,
    #"{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}"#,
    #"{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]}}"#,
    #"{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", 1]]}}"#,
    #"{"model": {"type": "Unigram", "vocab": [["a"]]}}"#,
    #"{"model": {"type": "Unigram", "vocab": [["a", 0]], "unk_id": 7}}"#,
    #"{"model": {"type": "Unigram", "vocab": [], "unk_id": -1}}"#,
    #"{"model": {"vocab": {}}, "normalizer": []}"#,
    #"{"model": {"vocab": {}}, "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}}"#,
    #"{"model": {"vocab": {}}, "normalizer": {"type": "Precompiled", "precompiled_charsmap": "////fw=="}}"#,
    #"{"model": {"vocab": {}}, "added_tokens": [{"id": -1, "content": "a"}]}"#,
    #"{"model": {"vocab": {}}, "added_tokens": [{"id": 99999999, "content": "a"}]}"#,
    #"{"model": {"vocab": {}}, "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}]}}"#,
    #"{"model": {"vocab": {}}, "pre_tokenizer": {"type": "Metaspace", "replacement": "ab"}}"#, "{\"a\": \"\u{1}\"}",
    #"{"a": "\ud800"}"#,
    #"{"a": "\x"}"#, #"{"a": 1e999}"#, #"{"a": 01x}"#, #"{"a": tru}"#, #"{"a" 1}"#, #"{"a": 1} 2"#, #"{"a": [1 2]}"#,
  ])
  func invalidFilesAreRefused(json: String) {
    let error = #expect(throws: TokenizerError.self) { try read(json) }
    #expect(error?.code == .invalid, "\(json): \(error?.message ?? "")")
  }

  @Test(arguments: [
    ("normalizer", "Magic"), ("pre_tokenizer", "UnicodeScripts"), ("decoder", "CTC"), ("post_processor", "Magic"),
    ("model", "Magic"),
  ])
  func otherComponentsAreRefusedByName(key: String, type: String) throws {
    let model = key == "model" ? "" : #""model": {"vocab": {}}, "#
    let error = #expect(throws: TokenizerError.self) { try read("{\(model)\"\(key)\": {\"type\": \"\(type)\"}}") }
    #expect(error?.code == .unsupported && error?.message.contains(type) == true, "\(error?.message ?? "")")
  }

  @Test func dropoutIsRefused() throws {
    let error = #expect(throws: TokenizerError.self) {
      try read(#"{"model": {"type": "BPE", "vocab": {}, "merges": [], "dropout": 0.1}}"#)
    }
    #expect(error?.code == .unsupported && error?.message.contains("dropout") == true)
  }

  @Test func deepAndLargeFilesAreRefused() throws {
    for json in [
      String(repeating: "[", count: 1_000_000), String(repeating: #"{"a":"#, count: 100_000),
      #"{"model": {"vocab": {}}, "normalizer": {"type": "Sequence", "normalizers": ["#
        + [String](repeating: #"{"type": "NFC"}"#, count: 65).joined(separator: ",") + "]}}",
    ] {
      let error = #expect(throws: TokenizerError.self) { try read(json) }
      #expect(error?.code == .invalid || error?.code == .limit)
    }
    let long = String(repeating: "a", count: 2000)
    for json in [
      #"{"model": {"type": "WordPiece", "vocab": {"\#(long)": 0}}}"#,
      #"{"model": {"vocab": {}}, "added_tokens": [{"id": 0, "content": "\#(long)"}]}"#,
    ] {
      let error = #expect(throws: TokenizerError.self) { try read(json) }
      #expect(error?.code == .limit)
    }
  }

  @Test func missingFilesAreNamed() {
    let error = #expect(throws: TokenizerError.self) { try Tokenizer(contentsOf: URL(filePath: "/nonexistent.json")) }
    #expect(error?.code == .unreadable && error?.description.hasPrefix("/nonexistent.json: ") == true)
  }

  /// Each replacement makes the text 300 times as long.
  @Test func growingTextsEndWithAnError() throws {
    let content = String(repeating: "a", count: 300)
    let grow = #"{"type": "Replace", "pattern": {"String": "a"}, "content": "\#(content)"}"#
    let tokenizer = try read(
      #"{"model": {"vocab": {"<unk>": 0}}, "normalizer": {"type": "Sequence", "normalizers": ["#
        + [String](repeating: grow, count: 40).joined(separator: ",") + "]}}")
    #expect(try tokenizer.encode("b") == [0])
    let error = #expect(throws: TokenizerError.self) { try tokenizer.encode("a") }
    #expect(error?.code == .limit)
  }

  @Test func longTextsAreRefused() throws {
    let tokenizer = try read(#"{"model": {"vocab": {"<unk>": 0}}}"#)
    let error = #expect(throws: TokenizerError.self) { try tokenizer.encode(String(repeating: "a", count: 5 << 20)) }
    #expect(error?.code == .limit)
  }

  /// A word of 20,000 bytes: with quadratic time this would take minutes.
  @Test(arguments: ["llama2", "gpt2", "t5", "bert-cased", "gemma", "albert"]) func longWordsTakeLittleTime(name: String)
    throws
  {
    let tokenizer = try Tokenizer(Data(sample(name)))
    for text in ["a", "ab", "é", "\u{301}\u{323}", "\u{F73}", "▁", " "] {
      let ids = try tokenizer.encode(String(repeating: text, count: 20_000 / text.utf8.count))
      #expect(ids.count <= 20_100)
    }
  }

  /// Files with changed bytes are read, or refused with an error.
  @Test(arguments: ["llama3", "llama2", "t5", "bert-uncased", "words", "clip"]) func changedFilesDoNotTrap(name: String)
    throws
  {
    let bytes = try sample(name)
    var state: UInt64 = 7
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var refused = 0
    for round in 0..<60 {
      var changed = bytes
      // The structure is at the start and at the end of a file.
      for _ in 0..<1 + round % 4 {
        let place = random(2) == 0 ? random(min(2500, changed.count)) : random(changed.count)
        changed[place] = [UInt8(ascii: "0"), 0x22, 0x7B, 0x5D, 0x2C, 0x39, 0x61, 0x5C, 0xFF][random(9)]
      }
      if round % 10 == 9 { changed.removeLast(random(changed.count)) }
      do {
        let tokenizer = try Tokenizer(Data(changed))
        let ids = try tokenizer.encode("Hello, wörld! 123\n  \u{1F600}")
        _ = try tokenizer.decode(ids)
      } catch is TokenizerError { refused += 1 }
    }
    #expect(refused > 5)
  }
}
