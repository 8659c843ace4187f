import Foundation
import TestSupport
import Testing

/// Several images are read and predicted concurrently. The output equals that of sequential predictions.
@Suite(.tags(.process)) struct PicturePipelineTests {
  private let folder: Scratch
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path

  init() throws {
    folder = try Scratch()
    let names = ["zero", "two", "three", "five", "seven", "nine"]
    for place in 0..<24 {
      let picture = CommandRun.digits.appending(path: "\(names[place % names.count]).png")
      let target = try folder.write("", to: "in/\(place + 100).png")
      try FileManager.default.removeItem(at: target)
      try FileManager.default.copyItem(at: picture, to: target)
    }
    try folder.write("no picture", to: "in/117.png")
  }

  private func predict(_ words: [String], threads: Int, to output: String) throws -> CommandRun {
    try CommandRun(
      ["predict", Self.model, "--batch", "in", "-o", output, "--threads", "\(threads)"] + words, in: folder)
  }

  @Test(arguments: [[], ["--on-error", "record"], ["--on-error", "skip"]])
  func orderAndFailuresStay(_ words: [String]) throws {
    for suffix in [".jsonl", ".csv", ""] {
      let (one, four) = (
        try predict(words, threads: 1, to: "first-\(suffix)"), try predict(words, threads: 4, to: "other-\(suffix)")
      )
      #expect(one.status == four.status && one.status == (words.isEmpty ? 65 : 0), "\(four.complaint)")
      #expect(one.complaint.replacing("first-", with: "other-") == four.complaint)
      if suffix.isEmpty {
        let names = try folder.list("first-")
        #expect(try names == folder.list("other-") && names.count >= 17)
        for name in names where name.hasSuffix(".json") {
          #expect(try folder.read("first-/\(name)") == folder.read("other-/\(name)"))
        }
      } else {
        let file = words.isEmpty ? "\(suffix).partial" : suffix
        #expect(try folder.read("first-\(file)") == folder.read("other-\(file)"))
      }
    }
  }
}
