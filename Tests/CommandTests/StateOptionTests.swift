import Foundation
import TestSupport
import Testing

/// The command with models that keep states: it requires the user to choose one of two modes, and supports both.
@Suite(.tags(.process)) struct StateOptionTests {
  private static let model = CommandRun.checkout.appending(path: "Tests/Cases/interface/running-sum.mlmodel").path
  private static let row = #"{"x": [1, 2, 3, 4]}"#

  /// The first element of `y` in each line.
  private static func sums(_ run: CommandRun) throws -> [Double] {
    try run.output.split(separator: "\n").map { line in
      let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      let y = try #require(row["y"])
      let data = (y as? [String: Any])?["data"] ?? y
      return try #require((data as? [Double])?.first, "\(line)")
    }
  }

  private static func predict(_ arguments: [String], in folder: Scratch) throws -> CommandRun {
    try CommandRun(["predict", model] + arguments, in: folder)
  }

  @Test func withoutAWordItIsRefused() throws {
    let folder = try Scratch()
    try folder.write("\(Self.row)\n\(Self.row)\n", to: "rows.jsonl")
    let batch = ["--batch", "rows.jsonl"]
    for arguments in [["--set", "x=[1,2,3,4]"], batch, batch + ["--batch-size", "2"]] {
      let run = try Self.predict(arguments, in: folder)
      run.failed(64, naming: "the state 'total'")
      #expect(run.complaint.contains("--stateful") && run.complaint.contains("--fresh-state"))
      #expect(run.output.isEmpty)
    }
  }

  @Test func rowsGoOnOrBeginAnew() throws {
    let folder = try Scratch()
    try folder.write("\(Self.row)\n\(Self.row)\n\(Self.row)\n", to: "rows.jsonl")
    #expect(try Self.sums(Self.predict(["--batch", "rows.jsonl", "--stateful"], in: folder)) == [1, 2, 3])
    #expect(try Self.sums(Self.predict(["--batch", "rows.jsonl", "--fresh-state"], in: folder)) == [1, 1, 1])
    let together = ["--batch", "rows.jsonl", "--fresh-state", "--batch-size", "2"]
    #expect(try Self.sums(Self.predict(together, in: folder)) == [1, 1, 1])
  }

  @Test(arguments: ["--stateful", "--fresh-state"]) func oneRowBeginsWithZeros(_ option: String) throws {
    let folder = try Scratch()
    #expect(try Self.sums(Self.predict(["--set", "x=[5,2,3,4]", option], in: folder)) == [5])
  }

  @Test func theOptionsExcludeEachOther() throws {
    let folder = try Scratch()
    let run = try Self.predict(["--set", "x=[1,2,3,4]", "--stateful", "--fresh-state"], in: folder)
    #expect(run.status == 64 && run.complaint.contains("exclude each other"), "\(run.complaint)")
  }

  /// Scripts need not know whether a model keeps states.
  @Test func aModelWithoutStatesTakesBoth() throws {
    let folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "passenger.mlmodel", in: folder)
    for option in ["--stateful", "--fresh-state"] {
      let row = ["--set", "Sex=f", "--set", "Age=3"]
      let run = try CommandRun(["predict", "passenger.mlmodel", option] + row, in: folder)
      #expect(run.status == 0, "\(run.complaint)")
    }
  }

  @Test func benchTellsWhereStatesComeFrom() throws {
    let folder = try Scratch()
    let bench = ["bench", Self.model, "--iterations", "2", "--json"]
    #expect(try CommandRun(bench, in: folder).json()["states"] as? String == "kept")
    #expect(try CommandRun(bench + ["--fresh-state"], in: folder).json()["states"] as? String == "fresh")
    try CommandRun(bench + ["--batch-size", "2"], in: folder).failed(64, naming: "a batch of rows takes no state")
    try SmallModels.write(SmallModels.passenger, to: "passenger.mlmodel", in: folder)
    let other = try CommandRun(["bench", "passenger.mlmodel", "--iterations", "2", "--json"], in: folder)
    #expect(try other.json()["states"] == nil)
  }
}
