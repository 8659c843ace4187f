import Foundation
import TestSupport
import Testing

/// `--resume` decides by the content of files, not by their sizes and times, what is done.
@Suite(.tags(.process)) struct ResumeContentTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    for age in 1...3 { try row("\(age)", age: age) }
  }

  private func row(_ name: String, age: Int) throws {
    try folder.write("{\"Sex\": \"a\", \"Age\": \(age)}", to: "in/\(name).json")
  }

  private func predict(_ words: String..., batch: String = "in", output: String = "out") throws -> CommandRun {
    try CommandRun(["predict", "Passenger.mlmodel", "--batch", batch, "--output", output] + words, in: folder)
  }

  /// Changes a file as `cp -p` does: its size and times stay the same.
  private func replace(_ path: String, with text: String) throws {
    let file = folder.url.appending(path: path)
    let old = try FileManager.default.attributesOfItem(atPath: file.path)
    try Data(text.utf8).write(to: file)
    let new = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(old[.size] as? Int == new[.size] as? Int)
    try FileManager.default.setAttributes(
      [.modificationDate: #require(old[.modificationDate])], ofItemAtPath: file.path)
  }

  @Test func rowsOfOtherContentAreFound() throws {
    for output in ["out", "out.jsonl", "out.csv"] {
      try row("2", age: 2)
      #expect(try predict(output: output).status == 0)
      try replace("in/2.json", with: "{\"Sex\": \"a\", \"Age\": 9}")
      let run = try predict("--resume", output: output)
      if output == "out" {
        #expect(run.status == 0)
        #expect(try folder.read("out/2.json").contains("\"Age\": 9"))
      } else {
        run.failed(65, naming: "row 2 (2) is not what it was")
      }
    }
  }

  @Test func picturesOfSettingsOfOtherContentAreFound() throws {
    try EncodedModel.identity([("a", .picture(4, 4)), ("b", .picture(4, 4))], to: "Pair.mlmodel", in: folder)
    func take(_ name: String, _ place: String) throws {
      let target = folder.url.appending(path: place)
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.copyItem(at: CommandRun.digits.appending(path: "\(name).png"), to: target)
    }
    func run(_ words: String...) throws -> CommandRun {
      try CommandRun(
        ["predict", "Pair.mlmodel", "--batch", "rows.jsonl", "--set", "b=b.png", "-o", "p.jsonl"] + words, in: folder)
    }
    try take("two", "a.png")
    try take("five", "b.png")
    try folder.write("{\"a\": \"a.png\"}\n", to: "rows.jsonl")
    #expect(try run().status == 0)
    #expect(try run("--resume").status == 0)
    try take("seven", "b.png")
    try run("--resume").failed(65, naming: "--set")
  }

  /// A row that fails does not match its expected output.
  @Test func aComparisonCountsRowsThatFail() throws {
    try folder.write("{\"Sex\": \"a\", \"Age\": 1}\n{\"Sex\": \"a\", \"Age\": 2}\n", to: "good.jsonl")
    try folder.write("{\"Sex\": 1}\n{\"Sex\": \"a\", \"Age\": 2}\n", to: "now.jsonl")
    for expected in ["e.jsonl", "e"] {
      #expect(try predict(batch: "good.jsonl", output: expected).status == 0)
      for outcome in ["skip", "record"] {
        let run = try predict("--on-error", outcome, "--compare", expected, batch: "now.jsonl", output: "n.jsonl")
        #expect(run.status == 1 && run.output.contains("the row failed"), "\(run.output) \(run.complaint)")
      }
    }
    // A row that failed before has no expected output.
    #expect(try predict("--on-error", "skip", batch: "now.jsonl", output: "s.jsonl").status == 0)
    #expect(
      try predict("--on-error", "skip", "--compare", "s.jsonl", batch: "now.jsonl", output: "t.jsonl").status == 0)
  }

  @Test func oneFileIsComparedAsRowsAre() throws {
    func run(_ words: String...) throws -> CommandRun {
      try CommandRun(["predict", "Passenger.mlmodel"] + words, in: folder)
    }
    #expect(try run("in/1.json", "in/2.json", "-o", "two.jsonl").status == 0)
    #expect(try run("in/1.json", "in/2.json", "-o", "two").status == 0)
    #expect(try run("in/1.json", "--compare", "two.jsonl").status == 0)
    #expect(try run("in/1.json", "--compare", "two").status == 0)
  }

  @Test func filesOfInputsOfOtherContentAreFound() throws {
    try folder.write("{\"Sex\": \"a\"}", to: "common.json")
    try folder.write("{\"Age\": 1}\n", to: "rows.jsonl")
    #expect(try predict("--input", "common.json", batch: "rows.jsonl", output: "o.jsonl").status == 0)
    try replace("common.json", with: "{\"Sex\": \"b\"}")
    try predict("--input", "common.json", "--resume", batch: "rows.jsonl", output: "o.jsonl")
      .failed(65, naming: "a file of --input")
    try CommandRun(
      [
        "predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", "o.jsonl", "--input", "-", "--resume",
      ], in: folder, input: "{\"Sex\": \"a\"}"
    ).failed(64, naming: "--input -")
  }

  @Test func emptiedAndMissingResultsAreMadeAnewAndEditedOnesAreLeftAlone() throws {
    #expect(try predict().status == 0)
    let before = try folder.read("out/1.json")
    try folder.write("", to: "out/1.json")
    try FileManager.default.removeItem(at: folder.url.appending(path: "out/2.json"))
    let run = try predict("--resume", "--stats")
    #expect(run.status == 0 && run.complaint.contains("predicted 2 rows"), "\(run.complaint)")
    #expect(try folder.read("out/1.json") == before && !folder.read("out/2.json").isEmpty)
    try replace("out/3.json", with: folder.read("out/3.json").replacing("3", with: "7"))
    try predict("--resume").failed(65, naming: "out/3.json")
    #expect(try folder.read("out/3.json").contains("7"))
  }

  @Test(arguments: ["out.jsonl", "out.csv"]) func editedLinesAreFound(output: String) throws {
    // The fourth row stops the run.
    try folder.write("wrong", to: "in/4.json")
    #expect(try predict(output: output).status == 65)
    try row("4", age: 4)
    let (partial, record) = (try folder.read("\(output).partial"), try folder.read(".\(output).run"))
    try folder.write(partial.replacing("2", with: "8"), to: "\(output).partial")
    try predict("--resume", output: output).failed(65, naming: "of \(output).partial is not what the run wrote")
    if output == "out.csv" {
      try folder.write(partial.replacing("Age", with: "age"), to: "\(output).partial")
      try predict("--resume", output: output).failed(65, naming: "line 1 of")
    }
    try folder.write(partial, to: "\(output).partial")
    try folder.write(record, to: ".\(output).run")
    #expect(try predict("--resume", output: output).status == 0)
    // For a complete file, size and time are not enough either.
    let whole = try folder.read(output)
    try replace(output, with: whole.replacing("3", with: "7"))
    try predict("--resume", output: output).failed(65, naming: "not what the run that made it left")
    try folder.write(whole + "{}\n", to: output)
    try predict("--resume", output: output).failed(65, naming: "not what the run that made it left")
    try folder.write(whole, to: output)
    #expect(try predict("--resume", output: output).status == 0)
  }

  /// A comparison includes all rows, also those of earlier runs.
  @Test(arguments: ["out", "out.jsonl", "out.csv"]) func allRowsAreCompared(output: String) throws {
    #expect(try predict(output: "expected.jsonl").status == 0)
    let right = try folder.read("expected.jsonl")
    try folder.write("wrong", to: "in/3.json")
    #expect(try predict(output: output).status == 65)
    try row("3", age: 3)
    try folder.write(right.replacing("\"Age\": 1", with: "\"Age\": 5"), to: "expected.jsonl")
    let run = try predict("--resume", "--compare", "expected.jsonl", output: output)
    #expect(run.status == 1, "\(run.complaint)")
    let compared = try #require(run.json()["outputs"] as? [[String: Any]])
    #expect(compared.count == 6 && compared.count { $0["passed"] as? Bool == false } == 1, "\(run.output)")
    try folder.write(right, to: "expected.jsonl")
    // The results are written anyway, once.
    let again = try predict("--resume", "--compare", "expected.jsonl", output: output)
    #expect(again.status == 0 && again.output.contains("\"passed\":true"), "\(again.output) \(again.complaint)")
  }

  /// A row that failed in an earlier run does not match its expected output.
  @Test(arguments: ["out", "out.jsonl", "out.csv"], ["skip", "record"])
  func failedRowsOfEarlierRunsAreCompared(output: String, outcome: String) throws {
    #expect(try predict(output: "expected.jsonl").status == 0)
    try folder.write("wrong", to: "in/3.json")
    #expect(try predict("--on-error", outcome, output: output).status == 0)
    let run = try predict("--on-error", outcome, "--resume", "--compare", "expected.jsonl", output: output)
    #expect(
      run.status == 1 && run.output.contains("the row failed: in an earlier run"), "\(run.output) \(run.complaint)")
  }

  /// A row with too few or too many cells fails. Correcting it changes the row.
  @Test func rowsThatLostOrGainedCellsAreFound() throws {
    for (before, after) in [("a,1,9", "a,1"), ("a,1", "a,1,9")] {
      try folder.write("Sex,Age\n\(before)\na,2\n", to: "rows.csv")
      #expect(try predict("--on-error", "record", batch: "rows.csv", output: "o.jsonl").status == 0)
      try folder.write("Sex,Age\n\(after)\na,2\n", to: "rows.csv")
      try predict("--on-error", "record", "--resume", batch: "rows.csv", output: "o.jsonl").failed(65, naming: "row")
    }
  }

  /// An output whose name begins like that of a shard keeps its record.
  @Test func recordsOfOtherOutputsStay() throws {
    #expect(try predict(output: "res.best-of-three.jsonl").status == 0)
    #expect(try predict(output: "res").status == 0)
    #expect(try predict("--resume", output: "res.best-of-three.jsonl").status == 0)
  }

  /// An edited result is not replaced, even if its row changed.
  @Test func anEditedResultOfAChangedRowIsLeftAlone() throws {
    #expect(try predict().status == 0)
    try row("2", age: 20)
    try folder.write("mine", to: "out/2.json")
    try predict("--resume").failed(65, naming: "out/2.json: --resume: it is not what the run wrote")
    #expect(try folder.read("out/2.json") == "mine")
  }

  /// A file of lines is replaced as a whole, so a second shard would replace the first.
  @Test func sharesNeedFilesOfTheirOwn() throws {
    #expect(try predict("--shard", "1/2", output: "out.jsonl").status == 0)
    try predict("--shard", "2/2", output: "out.jsonl").failed(64, naming: "it holds share 1/2 of the batch")
    #expect(try predict("--shard", "2/2", output: "other.jsonl").status == 0)
    #expect(try predict("--shard", "1/2", output: "out.jsonl").status == 0)
  }

  /// Results do not replace the expected results.
  @Test func resultsDoNotReplaceWhatTheyAreComparedWith() throws {
    #expect(try predict(output: "expected").status == 0)
    try predict("--compare", "expected", output: "expected").failed(64, naming: "which results are compared with")
  }

  /// Records of an older format, which have no digests, are refused.
  @Test func recordsOfAnotherFormAreRefused() throws {
    #expect(try predict(output: "out.jsonl").status == 0)
    let record = try folder.read(".out.jsonl.run")
    let head = try #require(record.split(separator: "\n").first).replacing(
      "\"the form of the record\":\"5\",", with: "")
    #expect(head != record.split(separator: "\n")[0])
    try folder.write("\(head)\n0123456789abcdef done \"1\"\n", to: ".out.jsonl.run")
    try predict("--resume", output: "out.jsonl").failed(65, naming: "the form of the record")
  }
}
