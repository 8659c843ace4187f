import Foundation
import Testing

@testable import CoreMLTokenizers

/// Ids and decoded texts of 10,000 strings against Hugging Face's library (`tools/make-tokenizers.py`).
@Suite struct ReferenceTests {
  struct Expected: Decodable {
    struct Digests: Decodable {
      let ids: [String]
      let texts: [String]
    }

    let strings: [String]
    let tokenizers: [String: Digests]

    static func read() throws -> Expected {
      try JSONDecoder().decode(
        Expected.self, from: Data(contentsOf: SampleText.folder.appending(path: "expected.json")))
    }
  }

  static let names = [
    "gpt2", "llama3", "qwen2", "o200k", "deepseek", "roberta", "llama2", "gemma", "mistral", "t5", "albert",
    "bert-uncased", "bert-cased", "clip", "words",
  ]

  @Test func namesAreThoseOfTheFile() throws {
    #expect(Set(Self.names) == Set(try Expected.read().tokenizers.keys))
  }

  @Test func stringsAreTheSame() throws {
    let scalars = try SampleText.strings().map { $0.unicodeScalars.map { Int($0.value) } }
    #expect(SampleText.digests(scalars) == (try Expected.read().strings))
  }

  /// These check all strings. The others check a fifth of them, to save time.
  static let thorough: Set = ["llama3", "llama2", "t5"]

  @Test(arguments: names) func idsAndTextsEqualThoseOfTheLibrary(name: String) throws {
    let expected = try #require(try Expected.read().tokenizers[name])
    let tokenizer = try Tokenizer(contentsOf: SampleText.folder.appending(path: "tokenizers/\(name).json"))
    let strings = try SampleText.strings()
    let step = Self.thorough.contains(name) ? 1 : 5
    #expect(expected.ids.count == strings.count / SampleText.block && expected.texts.count == expected.ids.count)
    for block in stride(from: 0, to: expected.ids.count, by: step) {
      let start = block * SampleText.block
      let ids = try strings[start..<start + SampleText.block].map { try tokenizer.encode($0) }
      #expect(SampleText.digests(ids) == [expected.ids[block]], "the ids of the strings from \(start)")
      let texts = try ids.map { try tokenizer.decode($0).unicodeScalars.map { Int($0.value) } }
      #expect(SampleText.digests(texts) == [expected.texts[block]], "the texts of the strings from \(start)")
    }
  }

  struct Case: Decodable {
    let file: String
    let ids: [[Int]]
    let texts: [String]
  }

  static let folder = ProcessInfo.processInfo.environment["COREML_TOKENIZER_CASES"]

  /// Other tokenizers: `tools/make-tokenizers.py --check FOLDER FILE...`, then COREML_TOKENIZER_CASES=FOLDER.
  @Test(.enabled(if: folder != nil)) func otherTokenizersEqualTheLibrary() throws {
    let strings = try SampleText.strings()
    let folder = try #require(Self.folder)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".case.json")
    {
      let path = URL(filePath: folder).appending(path: name)
      let expected = try JSONDecoder().decode(Case.self, from: Data(contentsOf: path))
      let tokenizer: Tokenizer
      do { tokenizer = try Tokenizer(contentsOf: URL(filePath: expected.file)) } catch {
        Issue.record("\(error)")
        continue
      }
      let clock = ContinuousClock()
      var differences: [String] = []
      let time = try clock.measure {
        for (index, string) in strings.enumerated() {
          let ids = try tokenizer.encode(string)
          if ids != expected.ids[index] {
            differences.append("\(string.debugDescription): \(ids), expected \(expected.ids[index])")
          } else if !(try tokenizer.decode(ids)).unicodeScalars.elementsEqual(expected.texts[index].unicodeScalars) {
            differences.append("\(string.debugDescription): decodes to \(try tokenizer.decode(ids).debugDescription)")
          }
        }
      }
      print("\(name): \(differences.count) differences, \(time)")
      for difference in differences.prefix(8) { Issue.record("\(name): \(difference)") }
    }
  }
}
