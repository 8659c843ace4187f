import Foundation
import Testing

/// Features of `--input` and `--set` in a batch follow the rules of one prediction.
@Suite struct CommonFeatureTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.mixed, to: "mixed.mlmodel", in: folder)
    let rows = [1, 2].map { "{\"a\": \($0), \"b\": \(2 * $0), \"color\": \"red\"}\n" }
    try folder.write("a,b,color\n1,2,red\n2,4,red\n", to: "rows.csv")
    try folder.write(rows.joined(), to: "rows.jsonl")
    for (index, row) in rows.enumerated() { try folder.write(row, to: "rows/\(index).json") }
  }

  private func predict(_ words: [String]) throws -> CommandRun {
    try CommandRun(["predict", "mixed.mlmodel", "--json"] + words, in: folder)
  }

  private func results(_ run: CommandRun) throws -> [Double] {
    try run.output.split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(row?["y"] as? Double, "\(run.output) \(run.complaint)")
    }
  }

  @Test(arguments: ["rows.csv", "rows.jsonl", "rows"]) func whatIsSetOverridesRows(rows: String) throws {
    let alone = try (0..<2).flatMap { try results(predict(["--input", "rows/\($0).json", "--set", "a=7"])) }
    #expect(alone == [1.5 * 7 - 2.25 * 2 + 10.125, 1.5 * 7 - 2.25 * 4 + 10.125])
    #expect(try results(predict(["--batch", rows, "--set", "a=7"])) == alone)
    try folder.write("{\"a\": 8}", to: "more.json")
    #expect(try results(predict(["--batch", rows, "--input", "more.json", "--set", "a=7"])) == alone)
  }

  @Test(arguments: ["rows.csv", "rows.jsonl", "rows"]) func aFeatureOfAFileAndOfARowIsRefused(rows: String) throws {
    try folder.write("{\"a\": 8}", to: "more.json")
    try predict(["--input", "rows/0.json", "--input", "more.json"]).failed(64, naming: "'a' is given twice")
    try predict(["--batch", rows, "--input", "more.json"])
      .failed(65, naming: "the feature 'a' is given twice, by --input and by the row")
  }
}
