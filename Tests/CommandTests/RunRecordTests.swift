import Foundation
import Testing

/// Damaged records of a batch, and results whose rows are gone. Nothing that the user had is lost or hidden.
@Suite struct RunRecordTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    for age in 1...4 { try folder.write("{\"Sex\": \"a\", \"Age\": \(age)}", to: "in/\(age).json") }
  }

  private func predict(_ words: String..., batch: String = "in", output: String) throws -> CommandRun {
    try CommandRun(["predict", "Passenger.mlmodel", "--batch", batch, "--output", output] + words, in: folder)
  }

  private func record(_ output: String) throws -> [String] {
    try folder.read(".\(output).run").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Nothing tells which of its results the user has changed.
  @Test(arguments: ["out", "out.jsonl"], [0, 2]) func aDamagedLineIsRefusedAndNothingChanges(output: String, line: Int)
    throws
  {
    #expect(try predict(output: output).status == 0)
    var lines = try record(output)
    #expect(lines.count >= 6, "a row has a line of its own: \(lines)")
    lines[line] = "\0" + lines[line].dropFirst()
    try folder.write(lines.joined(separator: "\n"), to: ".\(output).run")
    let results = output == "out" ? "out/2.json" : output
    let before = try folder.read(results)
    try predict("--resume", output: output)
      .failed(65, naming: "/.\(output).run is damaged")
    try predict("--resume", output: output).failed(65, naming: "line \(line + 1) of the record")
    #expect(try record(output) == lines && folder.read(results) == before)
    #expect(try predict(output: output).status == 0)
    #expect(try predict("--resume", output: output).status == 0)
  }

  /// The remedy that the sentence names.
  @Test func withoutTheDamagedLinesTheirRowsArePredictedAgain() throws {
    #expect(try predict(output: "out").status == 0)
    let lines = try record("out")
    try folder.write((lines[..<2] + [""]).joined(separator: "\n"), to: ".out.run")
    let run = try predict("--resume", "--stats", output: "out")
    #expect(run.status == 0 && run.complaint.contains("predicted 3 rows"), "\(run.complaint)")
    #expect(try Set(record("out")) == Set(lines))
  }

  @Test func aDamagedRecordOfAnotherShareIsRefused() throws {
    #expect(try predict("--shard", "1/2", output: "out").status == 0)
    let path = ".out.1-of-2.run"
    let lines = try folder.read(path).split(separator: "\n")
    try folder.write("\(lines[0])\n\0\(lines[1])\n\(lines[2])\n", to: path)
    try predict("--resume", output: "out").failed(65, naming: "line 2 of the record")
    #expect(try folder.read(path).contains(lines[2]))
  }

  /// A run that is refused leaves even an incomplete line at the end.
  @Test func aRefusedRunDoesNotTouchTheRecord() throws {
    try SmallModels.write(SmallModels.row, to: "Other.mlmodel", in: folder)
    for output in ["out", "out.jsonl"] {
      #expect(try predict(output: output).status == 0)
      let torn = try record(output).joined(separator: "\n") + "0123"
      try folder.write(torn, to: ".\(output).run")
      try CommandRun(
        ["predict", "Other.mlmodel", "--batch", "in", "--output", output, "--resume"], in: folder
      ).failed(65, naming: "the model is not what the run began with")
      #expect(try record(output).joined(separator: "\n") == torn)
    }
  }

  // MARK: rows that are gone

  @Test func aResultWhoseRowIsGoneIsTold() throws {
    #expect(try predict(output: "out").status == 0)
    try FileManager.default.removeItem(at: folder.url.appending(path: "in/2.json"))
    let sentence = "out: the result of '2' stays, and the batch has no such row"
    // The record of a run that begins anew does not have the row.
    for (words, isTold) in [(["--resume"], true), ([], true), (["--resume"], false)] {
      let run = try CommandRun(
        ["predict", "Passenger.mlmodel", "--batch", "in", "--output", "out"] + words, in: folder)
      #expect(run.status == 0 && run.complaint.contains(sentence) == isTold, "\(words): \(run.complaint)")
      #expect(try folder.list("out").count == 4)
    }
    try FileManager.default.removeItem(at: folder.url.appending(path: "out/2.json"))
    #expect(try predict("--resume", output: "out").complaint == "")
    for name in ["in/1.json", "in/3.json"] {
      try FileManager.default.removeItem(at: folder.url.appending(path: name))
    }
    let run = try predict("--resume", output: "out")
    #expect(run.complaint.contains("out: 2 results stay, such as '1', and the batch has no such row"))
    #expect(try predict("--resume", "--quiet", output: "out").complaint == "")
  }

  /// Rows of another share are not gone.
  @Test func resultsOfOtherSharesAreNotTold() throws {
    for share in ["1/2", "2/2", "1/2"] {
      let run = try predict("--shard", share, "--resume", output: "out")
      #expect(run.status == 0 && run.complaint == "", "\(run.complaint)")
    }
    #expect(try predict("--resume", output: "out").complaint == "")
  }
}
