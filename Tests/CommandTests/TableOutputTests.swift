import Foundation
import TestSupport
import Testing

/// Results as tables, rows from the command line, and the amount of output on standard error.
@Suite(.tags(.process)) struct TableOutputTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    try folder.write("id,Sex,Age\nx1,\"a, \"\"b\"\"\nc\",1.5\nx2,d,wrong\nx3,,3\n", to: "rows.csv")
  }

  private func predict(_ arguments: String..., model: String = "Passenger.mlmodel") throws -> CommandRun {
    try CommandRun(["predict", model] + arguments, in: folder)
  }

  @Test func tablesHoldTheRows() throws {
    let words = ["predict", "Passenger.mlmodel", "--batch", "rows.csv", "--keep-columns", "id", "--output"]
    let run = try CommandRun(words + ["out.csv", "--on-error", "skip"], in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    #expect(
      try folder.read("out.csv") == "row,id,Age,Sex\n1,x1,1.5,\"a, \"\"b\"\"\nc\"\n3,x3,3.0,\n")
    #expect(try CommandRun(words + ["out.tsv", "--on-error", "record"], in: folder).status == 0)
    let lines = try folder.read("out.tsv")
    #expect(lines.hasPrefix("row\tid\tAge\tSex\terror\n1\tx1\t1.5\t\"a, \"\"b\"\"\nc\"\t\n2\tx2\t\t\t"))
    #expect(lines.contains("row 2 (line 4)") && lines.hasSuffix("\n3\tx3\t3.0\t\t\n"), "\(lines)")
    try CommandRun(words + ["out.xlsx"], in: folder).failed(64, naming: "expected .jsonl, .csv, .tsv, .npz or a folder")
  }

  /// Written tables are read again, also with tabs in their cells.
  @Test func tablesAreReadAgain() throws {
    try folder.write("Sex,Age\n\"a\tb\",1\nc,2\n", to: "in.csv")
    #expect(try predict("--batch", "in.csv", "--output", "first.tsv").status == 0)
    #expect(try folder.read("first.tsv") == "row\tAge\tSex\n1\t1.0\t\"a\tb\"\n2\t2.0\tc\n")
    let again = try predict("--batch", "first.tsv", "--columns", "Sex,Age", "--output", "second.tsv")
    #expect(again.status == 0, "\(again.complaint)")
    #expect(try folder.read("second.tsv") == folder.read("first.tsv"))
  }

  /// Arrays and dictionaries are JSON in a cell. An array of one element is a number.
  @Test func otherValuesAreCells() throws {
    let model = try WrittenModel.write(
      """
      (tensor<fp32, [2]> x) {
        tensor<fp32, [2]> y = square(x = x);
        tensor<fp32, [1]> z = reduce_sum(x = x, axes = tensor<int32, [1]>([0]), keep_dims = bool(true));
      } -> (y, z)
      """,
      inputs: ["x": [2]], outputs: ["y": [2], "z": [1]], in: folder, named: "Square")
    try folder.write("{\"x\": [1, 2]}\n{\"x\": [3, 4.5]}\n", to: "rows.jsonl")
    let run = try predict("--batch", "rows.jsonl", "--output", "out.csv", model: model)
    #expect(run.status == 0, "\(run.complaint)")
    let lines = try folder.read("out.csv").split(separator: "\n").map(String.init)
    #expect(lines.count == 3 && lines[0] == "row,y,z" && lines[1].hasSuffix(",3.0") && lines[2].hasSuffix(",7.5"))
    #expect(lines[1].contains("\"\"data\"\": [1.0, 4.0]"), "\(lines)")
  }

  /// A run resumes after complete rows, and accounts for line ends in cells and for the header line.
  @Test func tablesAreResumed() throws {
    let text = (1...6).map { "\"a\nb\",\($0)" }
    try folder.write("Sex,Age\n" + text.prefix(3).joined(separator: "\n") + "\n", to: "in.csv")
    #expect(try predict("--batch", "in.csv", "--output", "out.csv").status == 0)
    try folder.write("Sex,Age\n" + text.joined(separator: "\n") + "\n", to: "in.csv")
    let more = try predict("--batch", "in.csv", "--output", "out.csv", "--resume")
    #expect(more.status == 0, "\(more.complaint)")
    let expected: [String] = (1...6).map { "\($0),\($0).0,\"a\nb\"\n" }
    let all = "row,Age,Sex\n" + expected.joined()
    #expect(try folder.read("out.csv") == all)
    // The state after a process was killed within a row: the record has more rows than the file.
    let partial = folder.url.appending(path: "out.csv.partial")
    for kept in ["", "row,A", "row,Age,Sex\n", "row,Age,Sex\n1,1.0,\"a\nb\"\n2,2.0,\"a\n"] {
      try FileManager.default.removeItem(at: folder.url.appending(path: "out.csv"))
      try Data(kept.utf8).write(to: partial)
      let run = try predict("--batch", "in.csv", "--output", "out.csv", "--resume")
      #expect(run.status == 0, "\(run.complaint)")
      #expect(try folder.read("out.csv") == all, "after '\(kept)'")
    }
    try predict("--batch", "in.csv", "--output", "out.csv", "--resume", "--on-error", "record").failed(
      65, naming: "--on-error")
  }

  @Test func filesAreRows() throws {
    let digits = CommandRun.digits
    let model = digits.appending(path: "Digits.mlpackage").path
    let (two, five) = (digits.appending(path: "two.png").path, digits.appending(path: "five.png").path)
    let run = try predict(two, five, "--output", "out.csv", model: model)
    #expect(run.status == 0, "\(run.complaint)")
    let lines = try folder.read("out.csv").split(separator: "\n")
    #expect(lines.count == 3 && lines[1].hasPrefix("\(two),two,") && lines[2].hasPrefix("\(five),five,"), "\(lines)")
    let one = try predict(two, model: model)
    #expect(try one.json()["classLabel"] as? String == "two", "\(one.complaint)")
    #expect(try predict(two, five, "--output", "out", model: model).status == 0)
    #expect(try folder.list("out") == ["five.json", "two.json"])
    try folder.write("{}", to: "five.json")
    try predict(two, "five.json", "--output", ".", model: model).failed(64, naming: "both a row and the result")
    try predict(two, "--batch", "rows.csv", model: model).failed(64, naming: "--batch")
    try predict(two, "words.txt", model: model).failed(64, naming: "words.txt")
    try predict(two, "none.png", model: model).failed(74, naming: "none.png")
    try predict(two, five, "--recursive", model: model).failed(64, naming: "--recursive")
  }

  @Test func standardErrorSaysLessOrMore() throws {
    // With an invalid home, the compiled model cannot be cached, which is only a warning.
    func run(_ words: String...) throws -> CommandRun {
      try CommandRun(
        ["predict", "Passenger.mlmodel", "--set", "Sex=a", "--set", "Age=3"] + words, in: folder,
        environment: ["HOME": "/dev/null"])
    }
    let usual = try run()
    #expect(usual.status == 0 && usual.complaint.contains("not kept"), "\(usual.complaint)")
    for word in ["-q", "--quiet"] {
      let quiet = try run(word)
      #expect(quiet.status == 0 && quiet.complaint.isEmpty && quiet.output == usual.output, "\(quiet.complaint)")
    }
    let verbose = try run("-v")
    #expect(verbose.status == 0 && verbose.output == usual.output)
    for word in ["is compiled", "is loaded: Age : Double", "CPU", "loaded in", "predicted 1 row"] {
      #expect(verbose.complaint.contains(word), "\(verbose.complaint)")
    }
    try run("-q", "-v").failed(64, naming: "--verbose")
    // Errors are printed in any case.
    try predict("--set", "Sex=a", "-q").failed(65, naming: "Age")
  }
}
