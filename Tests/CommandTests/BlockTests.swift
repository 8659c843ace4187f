import Foundation
import TestSupport
import Testing

/// Rows of tables and lines run through small models in blocks. Every byte of the results equals that of predictions
/// one by one, which a time limit enforces.
@Suite(.tags(.process)) struct BlockTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.mixed, to: "mixed.mlmodel", in: folder)
    try SmallModels.write(SmallModels.classes, to: "classes.mlmodel", in: folder)
  }

  /// The content of a file, or of all files in a folder, each after its name.
  private func contents(_ name: String) -> String {
    let path = folder.url.appending(path: name).path
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return (try? folder.read(name)) ?? ""
    }
    return files.sorted().map { "\($0): \((try? folder.read("\(name)/\($0)")) ?? "")" }.joined()
  }

  /// Predicts in blocks and one by one. Both must give the same output.
  private func compare(_ words: [String], output: String?, sourceLocation: SourceLocation = #_sourceLocation) throws {
    func run(_ name: String?, _ more: [String]) throws -> (CommandRun, String) {
      let run = try CommandRun(["predict"] + words + (name.map { ["-o", $0] } ?? []) + more, in: folder)
      return (run, name.map(contents) ?? run.output)
    }
    let blocks = try run(output.map { "blocks\($0)" }, [])
    let single = try run(output.map { "single\($0)" }, ["--timeout", "1000"])
    #expect(blocks.1 == single.1, "\(words)", sourceLocation: sourceLocation)
    #expect(blocks.0.status == single.0.status, sourceLocation: sourceLocation)
    #expect(
      blocks.0.complaint == single.0.complaint.replacing("single", with: "blocks"), sourceLocation: sourceLocation)
  }

  private static let numbers = [
    "1", "-2.5", "0.1", "1e3", "-7E-2", "123456789012345678", "0.30000000000000004", "4.9e-324",
    "1.7976931348623157e308",
    "9007199254740993", "-0", "-0.0", "5e-1",
  ]
  /// Cells that only tables accept, and cells that nothing accepts.
  private static let odd = [
    "007", "1.", "-1.e2", "+5", "", " 5", "5 ", "1e400", "1e-400", "nan", "NaN", "-Infinity", "Infinity", "\"7\"",
    "\"NaN\"",
    "[3]", "null", "true", "0x10", "1_000", "1,5", "--3", "18446744073709551616", "99999999999999999999999.5", "é",
  ]
  private static let colors = [
    "red", "blüe", "red", "\"red\"", "green", "", "re\"d", "\"re\"\"d\"", "\"r\ned\"", "Red", "red ",
  ]

  @Test(arguments: ["skip", "record"]) func tables(_ onError: String) throws {
    var rng = SeededNumbers(seed: 7)
    var text = "id,a,b,color\n"
    for row in 0..<700 {
      func cell() -> String {
        let odd = Self.odd.randomElement(using: &rng) ?? ""
        let number = Self.numbers.randomElement(using: &rng) ?? ""
        return Int.random(in: 0..<12, using: &rng) == 0 ? odd : number
      }
      let isPlain = Int.random(in: 0..<4, using: &rng) > 0
      let color = isPlain ? "red" : Self.colors.randomElement(using: &rng) ?? ""
      text += "\(row),\(cell()),\(cell()),\(color)"
      if row % 97 == 5 { text += ",more" }
      text += row % 5 == 0 ? "\r\n" : "\n"
      if row % 61 == 0 { text += "\n" }
    }
    try folder.write(text, to: "rows.csv")
    for output in [".jsonl", ".csv", ".tsv", nil] {
      for more in [[], ["--keep-columns", "id,color"]] {
        let columns = more.isEmpty ? ["--columns", "a,b,color"] : []
        try compare(
          ["mixed.mlmodel", "--batch", "rows.csv", "--on-error", onError] + columns + more, output: output)
      }
    }
    try compare(
      ["mixed.mlmodel", "--batch", "rows.csv", "--on-error", onError, "--columns", "a,color", "--set", "b=2"],
      output: ".csv")
    try compare(
      ["mixed.mlmodel", "--batch", "rows.csv", "--on-error", onError, "--columns", "a,b,color", "--shard", "2/3"],
      output: ".jsonl")
  }

  /// Columns that contain only numbers are parsed as a whole.
  @Test(arguments: ["csv", "tsv"]) func tablesOfNumbers(_ kind: String) throws {
    var rng = SeededNumbers(seed: 9)
    let separator = kind == "csv" ? "," : "\t"
    var text = "b\(separator)a\n"
    for row in 0..<900 {
      func cell() -> String {
        let odd = Self.odd.randomElement(using: &rng) ?? ""
        let number = Self.numbers.randomElement(using: &rng) ?? ""
        return Int.random(in: 0..<25, using: &rng) == 0 ? odd : number
      }
      text += cell() + separator + cell()
      if row % 97 == 5 { text += separator + "1" }
      text += row % 5 == 0 ? "\r\n" : "\n"
    }
    try folder.write(text, to: "rows.\(kind)")
    let plane = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Cases/interface/plane.mlmodel")
    for output in [".jsonl", ".csv"] {
      try compare([plane.path, "--batch", "rows.\(kind)", "--on-error", "record"], output: output)
    }
    try compare([plane.path, "--batch", "rows.\(kind)", "--on-error", "skip", "--threads", "1"], output: "-folder")
  }

  @Test func lines() throws {
    var rng = SeededNumbers(seed: 3)
    var (mixed, classes) = ("", "")
    for row in 0..<600 {
      func value() -> String {
        let odd = Self.odd.randomElement(using: &rng) ?? ""
        let number = Self.numbers.randomElement(using: &rng) ?? ""
        return Int.random(in: 0..<15, using: &rng) == 0 ? odd : number
      }
      let color =
        ["\"red\"", "\"red\"", "\"bl\\u00fce\"", "\"blüe\"", "\"green\"", "3"].randomElement(using: &rng) ?? ""
      var members = ["\"a\": \(value())", "\"b\" :\(value())", "\"color\":\(color)"]
      if row % 3 == 0 { members.shuffle(using: &rng) }
      if row % 41 == 0 { members.append("\"a\": 1") }
      if row % 43 == 0 { members.removeLast() }
      mixed += " {\(members.joined(separator: row % 2 == 0 ? "," : " , "))}\(row % 47 == 0 ? " x" : "")\n"
      let list = (0..<(row % 37 == 0 ? 2 : 3)).map { _ in value() }.joined(separator: ", ")
      classes += row % 29 == 0 ? "{\"x\": [[\(list)]]}\n" : "{\"x\": [\(list)]}\r\n"
      if row % 50 == 0 { classes += "  \n" }
    }
    try folder.write(mixed, to: "mixed.jsonl")
    try folder.write(classes, to: "classes.jsonl")
    for output in [".jsonl", ".csv", nil] {
      try compare(["mixed.mlmodel", "--batch", "mixed.jsonl", "--on-error", "record"], output: output)
      try compare(["classes.mlmodel", "--batch", "classes.jsonl", "--on-error", "skip"], output: output)
      try compare(
        ["classes.mlmodel", "--batch", "classes.jsonl", "--on-error", "skip", "--top-k", "1"], output: output)
    }
    // The first line that fails ends the run. The results of earlier lines are written.
    try compare(["mixed.mlmodel", "--batch", "mixed.jsonl"], output: nil)
  }

  @Test func statisticsHaveTheStages() throws {
    try folder.write("a,b,color\n1,2,red\n3,4,red\n", to: "rows.csv")
    let run = try CommandRun(
      ["predict", "mixed.mlmodel", "--batch", "rows.csv", "-o", "out.csv", "--stats"], in: folder)
    #expect(run.complaint.contains("predicted 2 rows in"), "\(run.complaint)")
    for stage in ["reading", "encoding", "writing"] {
      #expect(run.complaint.contains(", \(stage) "), "\(run.complaint)")
    }
  }

  /// A line ending is not part of its row, so the last line may get one later.
  @Test func aLastLineWithoutAnEndMayGetOne() throws {
    try folder.write("a,b,color\r\n1,2,red\r\n3,4,red", to: "rows.csv")
    let words = ["predict", "mixed.mlmodel", "--batch", "rows.csv", "-o", "out.csv"]
    #expect(try CommandRun(words, in: folder).status == 0)
    try folder.write("a,b,color\r\n1,2,red\r\n3,4,red\r\n5,6,red\r\n", to: "rows.csv")
    let run = try CommandRun(words + ["--resume"], in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    #expect(try folder.read("out.csv").split(separator: "\n").count == 4)
  }

  /// A run that was killed within a block resumes without a difference in the results.
  @Test func aBlockThatIsNotWholeIsPredictedAgain() throws {
    let rows = (0..<1300).map { "\($0),\($0 % 7).5,red\n" }.joined()
    try folder.write("a,b,color\n" + rows, to: "rows.csv")
    let words = ["predict", "mixed.mlmodel", "--batch", "rows.csv", "-o", "out.csv"]
    #expect(try CommandRun(words, in: folder).status == 0)
    let (whole, record) = (try folder.read("out.csv"), try folder.read(".out.csv.run"))
    for length in [0, 3, 7, 4000, 9000, 20_000, whole.utf8.count - 1, whole.utf8.count] {
      try? FileManager.default.removeItem(at: folder.url.appending(path: "out.csv"))
      try folder.write(String(decoding: whole.utf8.prefix(length), as: UTF8.self), to: "out.csv.partial")
      try folder.write(record, to: ".out.csv.run")
      let run = try CommandRun(words + ["--resume"], in: folder)
      #expect(run.status == 0, "\(length): \(run.complaint)")
      #expect(try folder.read("out.csv") == whole)
      #expect(try folder.read(".out.csv.run").hasSuffix("finished\n"))
    }
    let other = whole.replacing("\n600,", with: "\n601,", maxReplacements: 1)
    try folder.write(other, to: "out.csv.partial")
    try? FileManager.default.removeItem(at: folder.url.appending(path: "out.csv"))
    try CommandRun(words + ["--resume"], in: folder).failed(
      65, naming: "one of the lines 514 to 1025 of out.csv.partial")
    try folder.write("a,b,color\n" + rows.replacing("\n700,", with: "\n701,", maxReplacements: 1), to: "rows.csv")
    try folder.write(whole, to: "out.csv")
    try? FileManager.default.removeItem(at: folder.url.appending(path: "out.csv.partial"))
    try CommandRun(words + ["--resume"], in: folder).failed(
      65, naming: "one of the rows 513 to 1024 is not what it was")
  }
}

/// Random numbers that are the same in every run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let mixed = (state ^ (state >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ (mixed >> 33)
  }
}
