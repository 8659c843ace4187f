import FeatureFiles
import Foundation
import Testing

/// Errors of a batch come early, are short, and name what the user can change.
@Suite struct SentenceTests {
  private let folder: Scratch
  private static let sums = CommandRun.checkout.appending(path: "Tests/Cases/interface/sums.mlmodel").path
  private static let digits = CommandRun.digits.appending(path: "Digits.mlpackage").path

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    try folder.write("{\"Sex\": \"a\", \"Age\": 1}\n", to: "rows.jsonl")
  }

  private func predict(_ words: String..., model: String = "Passenger.mlmodel") throws -> CommandRun {
    try CommandRun(["predict", model] + words, in: folder)
  }

  // MARK: arrays

  private func write(_ shapes: [String: [Int]], to name: String) throws {
    let arrays = shapes.sorted { $0.key < $1.key }.map { name, shape in
      (name: name, array: NPYArray(.float32, shape: shape, bytes: Array(repeating: 0, count: 4 * shape.reduce(1, *))))
    }
    try NPZ.write(arrays, to: folder.url.appending(path: name).path)
  }

  @Test func arraysWithDifferentRowsAreNamed() throws {
    try write(["a": [3, 2, 3], "b": [2, 1, 3]], to: "rows.npz")
    try predict("--batch", "rows.npz", model: Self.sums)
      .failed(65, naming: "rows.npz: expected one number of rows in all arrays, found 3 in 'a' and 2 in 'b'")
    try write(["a": []], to: "flat.npz")
    try predict("--batch", "flat.npz", model: Self.sums)
      .failed(65, naming: "flat.npz: expected the rows as the first axis, found 'a' without axes")
    try write(["a": [1, 2, 3]], to: "right.npz")
    try write(["y": [2, 2, 3], "z": [1]], to: "expected.npz")
    try predict("--batch", "right.npz", "--compare", "expected.npz", model: Self.sums)
      .failed(65, naming: "expected.npz: expected one number of rows in all arrays, found 2 in 'y' and 1 in 'z'")
  }

  // MARK: cells

  /// The start of the sentence has the place, and the end has the reason.
  @Test func aLongCellIsNotRepeated() throws {
    let cell = String(repeating: "a", count: 100_000)
    let picture = CommandRun.digits.appending(path: "two.png").path
    try folder.write("image\n\(cell)\n\(picture)\n", to: "rows.csv")
    #expect(
      try predict("--batch", "rows.csv", "--on-error", "record", "-o", "out.jsonl", model: Self.digits).status == 0)
    let line = try #require(try folder.read("out.jsonl").split(separator: "\n").first)
    let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let error = try #require(row?["error"] as? String)
    #expect(error.count <= 2000 && error.hasPrefix("rows.csv, row 1 (line 2): ") && error.contains("aaa ... aaa"))
    #expect(error.hasSuffix("the picture cannot be opened: File name too long"), "\(error.suffix(60))")
    let stopped = try predict("--batch", "rows.csv", model: Self.digits)
    stopped.failed(74, naming: "File name too long")
    #expect(stopped.complaint.count < 2100)
  }

  /// The parser counts lines of its own text, which is one line.
  @Test(arguments: ["rows.jsonl", "-"]) func aLineHasOneNumber(source: String) throws {
    let text = "{\"Sex\": \"a\", \"Age\": 1}\n\n{\"Sex\": \"a\", \"Age\": }\n"
    try folder.write(text, to: "rows.jsonl")
    let run = try CommandRun(
      ["predict", "Passenger.mlmodel", "--batch", source, "-o", "out.jsonl"], in: folder, input: text)
    let place = source == "-" ? "standard input" : source
    run.failed(65, naming: "\(place), row 2 (line 3): column 21: ")
    #expect(!run.complaint.contains("line 1"), "\(run.complaint)")
  }

  // MARK: outputs

  @Test(arguments: ["results.csv", "results.json", "absent.csv"]) func whatIsComparedIsNamed(path: String) throws {
    if path != "absent.csv" { try folder.write("row,Age\n1,1\n", to: path) }
    try predict("--batch", "rows.jsonl", "--compare", path)
      .failed(64, naming: "--compare \(path): expected results of a batch as .jsonl, .npz or a folder")
    try predict("--batch", "rows.jsonl", "--compare", "absent").failed(
      74, naming: "absent: expected a folder of results")
  }

  /// The rows do not exist. So the refusal comes before anything is read.
  @Test(arguments: [
    ["--batch", "absent.jsonl", "-o", "out.jsonl"], ["--batch", "absent.jsonl", "-o", "out.csv"],
    ["--batch", "absent.jsonl", "-o", "out.npz"], ["--input", "absent.json", "-o", "out.json"],
    ["--input", "absent.json", "-o", "y=out.png"], ["--input", "absent.json", "--dump", "out.npz"],
  ]) func anOutputIsNoFolder(words: [String]) throws {
    let output = try #require(words.last).replacing("y=", with: "")
    try folder.write("mine", to: "\(output)/file")
    try CommandRun(["predict", "Passenger.mlmodel"] + words, in: folder)
      .failed(73, naming: "\(output): expected the name of a file, found a folder")
    #expect(try folder.list(output) == ["file"])
    if words[0] == "--batch" {
      try predict("--batch", "absent.jsonl", "-o", "new.jsonl/").failed(73, naming: "found a folder")
    }
  }

  @Test func aPlotAndAnEncryptedModelAreNoFolders() throws {
    try folder.write("mine", to: "loss.png/file")
    try CommandRun(
      ["update", "absent.mlmodel", "--data", "absent", "-o", "new.mlmodelc", "--plot", "loss.png"], in: folder
    ).failed(73, naming: "loss.png: expected the name of a file, found a folder")
    try folder.write("mine", to: "M.encrypted/file")
    #expect(try CommandRun(["models", "new-key", "k.key"], in: folder).status == 0)
    try CommandRun(
      ["models", "encrypt", "Passenger.mlmodel", "--key-file", "k.key", "-o", "M.encrypted"], in: folder
    ).failed(73, naming: "M.encrypted: expected the name of a file, found a folder")
  }
}
