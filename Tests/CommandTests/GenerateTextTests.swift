import Foundation
import TestSupport
import Testing

/// `runtime generate-text`: what it prints, what ends a text, and its errors.
@Suite(.tags(.process)) struct GenerateTextTests {
  private struct Expected: Decodable {
    struct Case: Decodable {
      let prompt: String
      let tokens: [Int]
      let text: String
    }
    let maxTokens: Int
    let cases: [Case]
  }

  private let folder: Scratch
  private static let models = CommandRun.checkout.appending(path: "Tests/Cases/text/model")
  private static let stateful = models.appending(path: "stateful.mlpackage").path
  private static let cpu = ["--compute-units", "cpuOnly"]

  init() throws { folder = try Scratch() }

  private static func first() throws -> Expected.Case {
    try #require(
      JSONDecoder().decode(Expected.self, from: Data(contentsOf: models.appending(path: "expected.json"))).cases.first)
  }

  private func generate(_ options: [String], input: String? = nil) throws -> CommandRun {
    try CommandRun(["generate-text", Self.stateful] + Self.cpu + options, in: folder, input: input)
  }

  @Test func theTextIsTheOutput() throws {
    let expected = try Self.first()
    let count = "\(expected.tokens.count)"
    let run = try generate(["--prompt", expected.prompt, "--max-tokens", count])
    #expect(run.status == 0)
    #expect(run.output == expected.text + "\n")
    #expect(run.complaint.contains("generated \(count) tokens"))
    try folder.write(expected.prompt, to: "prompt.txt")
    let file = try generate(["--prompt-file", "prompt.txt", "--max-tokens", count])
    #expect(file.output == run.output)
    let piped = try generate(["--prompt-file", "-", "--max-tokens", count], input: expected.prompt)
    #expect(piped.output == run.output)
    let json = try generate(["--prompt", expected.prompt, "--max-tokens", count, "--json"]).json()
    #expect(json["text"] as? String == expected.text)
    #expect(json["tokens"] as? [Int] == expected.tokens)
    #expect(json["finishReason"] as? String == "maximumTokens")
  }

  @Test func aStopTextEndsTheText() throws {
    let expected = try Self.first()
    let stop = String(expected.text.dropFirst(12).prefix(5))
    let before = try #require(expected.text.range(of: stop)).lowerBound
    let json = try generate(["--prompt", expected.prompt, "--max-tokens", "48", "--stop", stop, "--json"]).json()
    #expect(json["text"] as? String == String(expected.text[..<before]))
    #expect(json["finishReason"] as? String == "stopSequence")
  }

  @Test func aSeedRepeatsRandomChoices() throws {
    let options = ["--prompt", "A kernel", "--max-tokens", "24", "--temperature", "1.5", "--json"]
    let one = try generate(options + ["--seed", "7"]).json()
    let two = try generate(options + ["--seed", "7"]).json()
    let other = try generate(options + ["--seed", "8"]).json()
    #expect(one["tokens"] as? [Int] == two["tokens"] as? [Int])
    #expect(one["tokens"] as? [Int] != other["tokens"] as? [Int])
    #expect(one["seed"] as? String == "7")
  }

  @Test func wrongArgumentsAndFilesAreErrors() throws {
    func expect(_ status: Int32, _ words: String, _ options: [String]) throws {
      let run = try generate(options)
      #expect(run.status == status && run.complaint.contains(words), "\(options): \(run.status) \(run.complaint)")
      #expect(run.output.isEmpty)
    }
    try expect(64, "either --prompt or --prompt-file", [])
    try expect(64, "either --prompt or --prompt-file", ["--prompt", "a", "--prompt-file", "b"])
    try expect(64, "--top-p", ["--prompt", "a", "--top-p", "1.5"])
    try expect(64, "--temperature", ["--prompt", "a", "--temperature", "-1"])
    try expect(64, "--max-tokens", ["--prompt", "a", "--max-tokens", "0"])
    try expect(64, "neither a token", ["--prompt", "a", "--stop-token", "no such token"])
    try expect(74, "missing.txt", ["--prompt-file", "missing.txt"])
    try expect(74, "missing.json", ["--prompt", "a", "--tokenizer", "missing.json"])
    try folder.write("{", to: "broken.json")
    try expect(65, "broken.json", ["--prompt", "a", "--tokenizer", "broken.json"])
    try Data([0xff, 0xfe]).write(to: folder.url.appending(path: "bytes.txt"))
    try expect(65, "bytes.txt is not UTF-8", ["--prompt-file", "bytes.txt"])
    let digits = CommandRun.digits.appending(path: "Digits.mlpackage").path
    let tokenizer = Self.models.appending(path: "tokenizer.json").path
    let run = try CommandRun(
      ["generate-text", digits, "--prompt", "a", "--tokenizer", tokenizer] + Self.cpu, in: folder)
    #expect(run.status == 65 && run.complaint.contains("Digits.mlpackage: not a language model"), "\(run.complaint)")
  }
}
