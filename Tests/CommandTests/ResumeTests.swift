import Foundation
import TestSupport
import Testing

/// `--resume` continues only with the options and rows of the first run. No row is lost, mixed up or silently skipped.
@Suite(.tags(.process)) struct ResumeTests {
  private let folder: Scratch
  private static let rows = (1...6).map { "{\"Sex\": \"a\", \"Age\": \($0)}\n" }

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
  }

  private func predict(_ arguments: String..., model: String = "Passenger.mlmodel") throws -> CommandRun {
    try CommandRun(["predict", model, "--batch", "rows.jsonl", "--output", "out.jsonl"] + arguments, in: folder)
  }

  private func ages() throws -> [Double] {
    try folder.read("out.jsonl").split(separator: "\n").map {
      let row = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return row?["Age"] as? Double ?? -1
    }
  }

  /// A run that an invalid row stopped after two rows.
  private func begin() throws {
    try folder.write(Self.rows[..<2].joined() + "wrong\n" + Self.rows[3...].joined(), to: "rows.jsonl")
    #expect(try predict().status == 65)
    #expect(try folder.list().contains("out.jsonl.partial"))
  }

  @Test func whatIsLeftIsDone() throws {
    try begin()
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
    #expect(try predict("--resume").status == 0)
    #expect(try ages() == [1, 2, 3, 4, 5, 6])
    #expect(try predict("--resume").status == 0)
  }

  @Test func rowsThatChangedAreRefused() throws {
    try begin()
    try folder.write("{\"Sex\": \"b\", \"Age\": 1}\n" + Self.rows[1...].joined(), to: "rows.jsonl")
    try predict("--resume").failed(65, naming: "one of the rows 1 to 2 is not what it was")
    try folder.write(Self.rows[0], to: "rows.jsonl")
    try predict("--resume").failed(65, naming: "2 rows were done, and there are 1 now")
    #expect(try folder.read("out.jsonl.partial").split(separator: "\n").count == 2)
  }

  /// The titles decide which column is which feature.
  @Test func aTableWithOtherTitlesIsRefused() throws {
    try folder.write("Sex,Age\na,1\nb,2\n", to: "rows.csv")
    let arguments = ["predict", "Passenger.mlmodel", "--batch", "rows.csv", "--output", "out.csv"]
    #expect(try CommandRun(arguments, in: folder).status == 0)
    try folder.write("Age,Sex\na,1\nb,2\n", to: "rows.csv")
    try CommandRun(arguments + ["--resume"], in: folder).failed(65, naming: "the first line of the table")
  }

  /// A run that a full disk ended leaves part of a line at the end of its record.
  @Test func anIncompleteLineOfTheRecordIsDropped() throws {
    let arguments = ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", "out"]
    #expect(try CommandRun(arguments, in: folder).status == 0)
    let record = try folder.read(".out.run")
    try folder.write(String(record.dropLast(record.hasSuffix("finished\n") ? 14 : 5)), to: ".out.run")
    #expect(try CommandRun(arguments + ["--resume"], in: folder).status == 0)
    #expect(try folder.read(".out.run").split(separator: "\n").count == record.split(separator: "\n").count)
    let last = try #require(try folder.list("out").filter { $0.hasSuffix(".json") }.max())
    try folder.write("{}", to: "out/\(last)")
    try CommandRun(arguments + ["--resume"], in: folder).failed(65, naming: last)
  }

  @Test func anotherModelOrOtherOptionsAreRefused() throws {
    try begin()
    try SmallModels.write(SmallModels.row, to: "Other.mlmodel", in: folder)
    try predict("--resume", model: "Other.mlmodel").failed(65, naming: "the model is not what the run began with")
    try predict("--resume", "--shard", "1/2").failed(65, naming: "--shard")
    try predict("--resume", "--top-k", "2").failed(65, naming: "--top-k")
    // A copy of the model counts as the same model.
    try SmallModels.write(SmallModels.passenger, to: "Copy.mlmodel", in: folder)
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
    #expect(try predict("--resume", model: "Copy.mlmodel").status == 0)
  }

  @Test func aFinishedFileTakesNewRowsAndNoOthers() throws {
    try folder.write(Self.rows[..<4].joined(), to: "rows.jsonl")
    #expect(try predict().status == 0)
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
    #expect(try predict("--resume").status == 0)
    #expect(try ages() == [1, 2, 3, 4, 5, 6])
    try folder.write(Self.rows[1...].joined(), to: "rows.jsonl")
    try predict("--resume").failed(65, naming: "6 rows were done")
    try folder.write((Self.rows[1...] + Self.rows).joined(), to: "rows.jsonl")
    try predict("--resume").failed(65, naming: "one of the rows 1 to 4 is not what it was")
    #expect(try ages() == [1, 2, 3, 4, 5, 6] && !folder.list().contains("out.jsonl.partial"))
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
    try folder.write("mine", to: "out.jsonl")
    try predict("--resume").failed(65, naming: "not what the run that made it left")
    #expect(try folder.read("out.jsonl") == "mine")
  }

  @Test func filesOfARunThatNobodyKnowsAreRefused() throws {
    try folder.write("{\"Age\": 1}\n", to: "out.jsonl.partial")
    try predict("--resume").failed(65, naming: "nothing tells")
    #expect(try folder.read("out.jsonl.partial") == "{\"Age\": 1}\n")
  }

  /// Skipped rows have no line. The record lists them and the rows that were cut off.
  @Test func totalsAreThoseOfAllRuns() throws {
    try folder.write("wrong\n" + Self.rows[..<2].joined() + "wrong\n", to: "rows.jsonl")
    #expect(try predict("--on-error", "skip").complaint.contains("2 of 4 rows failed"))
    try folder.write("wrong\n" + Self.rows[..<2].joined() + "wrong\n" + Self.rows[2], to: "rows.jsonl")
    let run = try predict("--on-error", "skip", "--resume")
    #expect(run.status == 0 && run.complaint.contains("2 of 5 rows failed"), "\(run.complaint)")
    #expect(try ages() == [1, 2, 3])
    #expect(try predict("--on-error", "skip", "--resume", "--max-failures", "1").status == 1)
    #expect(try predict("--on-error", "skip", "--resume", "--max-failures", "2").status == 0)
  }

  @Test func linesAndRecordMayBothBeCutShort() throws {
    try begin()
    let (lines, record) = (try folder.read("out.jsonl.partial"), try folder.read(".out.jsonl.run"))
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
    for (line, entry) in [(lines.count - 9, record.count), (lines.count, record.count - 9), (0, record.count)] {
      try folder.write(String(lines.prefix(line)), to: "out.jsonl.partial")
      try folder.write(String(record.prefix(entry)), to: ".out.jsonl.run")
      #expect(try predict("--resume").status == 0)
      #expect(try ages() == [1, 2, 3, 4, 5, 6])
      try FileManager.default.removeItem(at: folder.url.appending(path: "out.jsonl"))
    }
  }

  @Test func twoProcessesNeverWriteOneOutput() throws {
    let many = (0..<20_000).map { "{\"Sex\": \"a\", \"Age\": \($0)}\n" }.joined()
    try folder.write(many, to: "rows.jsonl")
    let first = CommandRun.process(
      ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", "out.jsonl"], in: folder)
    try first.run()
    defer {
      first.terminate()
      first.waitUntilExit()
    }
    for _ in 0..<6000 where first.isRunning {
      if (try? folder.read("out.jsonl.partial").isEmpty) == false { break }
      Thread.sleep(forTimeInterval: 0.01)
    }
    try predict().failed(75, naming: "another process")
    try predict("--resume").failed(75, naming: "another process")
    #expect(first.isRunning)
  }

  // MARK: folders

  private func fill(_ arguments: String...) throws -> CommandRun {
    try CommandRun(
      ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", "out"] + arguments, in: folder)
  }

  @Test func aFolderTakesRowsThatAreNewOrChanged() throws {
    #expect(try fill().status == 0)
    let before = try folder.read("out/000001.json")
    try folder.write("{\"Sex\": \"b\", \"Age\": 1}\n" + Self.rows[1...].joined() + Self.rows[0], to: "rows.jsonl")
    #expect(try fill("--resume").status == 0)
    #expect(try folder.list("out").count == 7 && folder.read("out/000001.json") == before)
    #expect(try folder.read("out/000000.json").contains("\"b\""))
    try fill("--resume", "--top-k", "1").failed(65, naming: "--top-k")
  }

  @Test func sharesOfAFolderAreTakenUpByTheWhole() throws {
    for share in ["1/3", "3/3"] { #expect(try fill("--shard", share).status == 0) }
    // The second time, the record of the whole batch is used.
    for count in [2, 0] {
      let run = try fill("--resume", "--stats")
      #expect(run.status == 0 && run.complaint.contains("predicted \(count) rows"), "\(run.complaint)")
    }
    #expect(try folder.list("out").count == 6)
    #expect(try folder.list().filter { $0.hasSuffix(".run") } == [".out.run"])
  }

  @Test func whatKilledRunsLeftIsSwept() throws {
    for name in [
      "out/000002.json.1abc1abc1abc.partial", "out/other.json.1abc1abc1abc.partial", "out/000002.json.mine.partial",
    ] { try folder.write("{", to: name) }
    #expect(try fill().status == 0)
    #expect(
      try folder.list("out").filter { $0.hasSuffix("partial") } == [
        "000002.json.mine.partial", "other.json.1abc1abc1abc.partial",
      ])
  }

  @Test func resultsDoNotReplaceRows() throws {
    try folder.write(Self.rows[0], to: "in/a.json")
    try CommandRun(["predict", "Passenger.mlmodel", "--batch", "in", "--output", "in"], in: folder)
      .failed(64, naming: "a.json")
    #expect(try folder.read("in/a.json") == Self.rows[0])
  }
}
