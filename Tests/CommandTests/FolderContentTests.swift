import Foundation
import TestSupport
import Testing

/// Which files of a folder, or of a shell pattern, become rows. Nothing is skipped silently.
@Suite(.tags(.process)) struct FolderContentTests {
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private let folder: Scratch
  /// The first bytes of an image as phones write it, and of another format.
  private static let (heic, avif) = ("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic", "\0\0\0\u{1C}ftypmif1\0\0\0\0mif1avifmiaf")

  init() throws { folder = try Scratch() }

  private func copy(_ name: String, to place: String) throws {
    let target = folder.url.appending(path: place)
    try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: CommandRun.digits.appending(path: "\(name).png"), to: target)
  }

  private func predict(_ words: String..., model: String = Self.model) throws -> CommandRun {
    try CommandRun(["predict", model] + words, in: folder)
  }

  private func rows(_ run: CommandRun) throws -> [[String: Any]] {
    try run.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\(run.complaint)")
    }
  }

  private func fill() throws {
    try copy("seven", to: "mix/a.PNG")
    try copy("five", to: "mix/no-suffix")
    try copy("two", to: "mix/called.heic")
    try copy("three", to: "mix/still-coming.part")
    try folder.write("{\"title\": \"a\"}", to: "mix/a.PNG.json")
    try folder.write(Self.heic, to: "mix/IMG_2.HEIC")
    try folder.write(Self.avif, to: "mix/b")
    for name in ["doc.pdf", "x.pdf", "notes", "more/x.txt"] { try folder.write("BM%PDF", to: "mix/\(name)") }
  }

  @Test func picturesAreKnownByTheirBytesAndOthersAreCounted() throws {
    try fill()
    let run = try predict("--batch", "mix", "--on-error", "record")
    let found = try rows(run)
    #expect(found.map { $0["row"] as? String } == ["IMG_2.HEIC", "a.PNG", "b", "called.heic", "no-suffix"])
    #expect(found.map { $0["classLabel"] as? String } == [nil, "seven", nil, "two", "five"])
    #expect((found[0]["error"] as? String)?.contains("IMG_2.HEIC: it is a picture of the kind HEIC") == true)
    #expect((found[2]["error"] as? String)?.contains("AVIF") == true, "\(found[2])")
    #expect(run.status == 0 && run.complaint.contains("2 of 5 rows failed"), "\(run.complaint)")
    for word in ["1 file without a suffix", "1 .part", "2 .pdf", "1 .json beside pictures", "1 folder"] {
      #expect(run.complaint.contains(word), "\(word): \(run.complaint)")
    }
    #expect(try predict("--batch", "mix", "--on-error", "skip", "--max-failures", "1").status == 1)
    try predict("--batch", "mix", "--quiet").failed(65, naming: "row 1 (IMG_2): mix/IMG_2.HEIC")
    // The same for one file, and for files that are named explicitly.
    try predict("mix/IMG_2.HEIC").failed(65, naming: "kind HEIC")
    #expect(try predict("--input", "mix/no-suffix", "--json").json()["classLabel"] as? String == "five")
    #expect(try rows(predict("mix/a.PNG", "mix/no-suffix")).map { $0["classLabel"] as? String } == ["seven", "five"])
    try predict("mix/a.PNG", "mix/doc.pdf").failed(64, naming: "doc.pdf")
  }

  /// JSON files next to images usually describe them, so they are not rows. They are rows if they are alone or named
  /// explicitly.
  @Test func descriptionsBesidePicturesAreNoRows() throws {
    try copy("seven", to: "pictures/seven.png")
    try folder.write(#"{"image": "../pictures/seven.png"}"#, to: "rows/a.json")
    try folder.write(#"{"image": {"image": "../pictures/seven.png"}}"#, to: "rows/b.json")
    #expect(try rows(predict("--batch", "rows")).map { $0["classLabel"] as? String } == ["seven", "seven"])
    try copy("two", to: "rows/two.png")
    let run = try predict("--batch", "rows")
    #expect(try rows(run).map { $0["row"] as? String } == ["two.png"] && run.complaint.contains("2 .json"))
    #expect(try rows(predict("rows/two.png", "rows/a.json")).map { $0["classLabel"] as? String } == ["two", "seven"])
    try folder.write(#"{"image": "pictures/none.png"}"#, to: "wrong.json")
    try predict("--input", "wrong.json").failed(74, naming: "pictures/none.png")
    try folder.write(#"{"image": 3}"#, to: "wrong.json")
    try predict("--input", "wrong.json").failed(65, naming: "expected the path of a picture")
    // Rows that name images change when the images do.
    #expect(try predict("--batch", "rows", "-o", "out.jsonl").status == 0)
    try FileManager.default.removeItem(at: folder.url.appending(path: "rows/two.png"))
    #expect(try predict("--batch", "rows", "-o", "json.jsonl").status == 0)
    try FileManager.default.removeItem(at: folder.url.appending(path: "pictures/seven.png"))
    try copy("five", to: "pictures/seven.png")
    try predict("--batch", "rows", "-o", "json.jsonl", "--resume").failed(65, naming: "row 1 (a) is not what it was")
  }

  @Test func aFolderOfNothingSaysWhatItHas() throws {
    try folder.write("x", to: "in/a.txt")
    try predict("--batch", "in").failed(65, naming: "left out 1 .txt")
  }

  // MARK: one file

  @Test func oneFileIsABatchWhereOneIsAskedFor() throws {
    try copy("seven", to: "seven.png")
    for words in [["--on-error", "skip"], ["--batch-size", "1"], ["--shard", "1/1"]] {
      let run = try CommandRun(["predict", Self.model, "seven.png"] + words, in: folder)
      #expect(try rows(run).map { $0["row"] as? String } == ["seven.png"], "\(words): \(run.complaint)")
    }
    #expect(try rows(predict("seven.png")).map { $0["row"] as? String } == [nil])
    for output in ["out.jsonl", "out.csv", "out"] {
      #expect(try predict("seven.png", "-o", output).status == 0)
      #expect(try predict("seven.png", "-o", output, "--resume").status == 0)
    }
    #expect(try folder.read("out.jsonl").contains(#""row": "seven.png""#) && folder.list("out") == ["seven.json"])
    #expect(try folder.read("out.csv").hasPrefix("row,"))
    #expect(try predict("seven.png", "-o", "one.json").status == 0 && folder.list().contains("one.json"))
    try predict("seven.png", "--resume").failed(64, naming: "--resume needs --output")
    try predict("--input", "seven.png", "--on-error", "skip").failed(64, naming: "--on-error needs --batch")
  }

  // MARK: rows that fail

  @Test func aRunOfWhichNothingCameDoesNotEndWell() throws {
    try folder.write(Self.heic, to: "in/a.heic")
    try folder.write("no picture", to: "in/b.png")
    for policy in ["skip", "record"] {
      try predict("--batch", "in", "--on-error", policy, "-o", "\(policy).jsonl").failed(
        65, naming: "2 of 2 rows failed")
      #expect(try folder.list().contains("\(policy).jsonl"))
      try predict("--batch", "in", "--on-error", policy, "-o", "\(policy).jsonl", "--resume")
        .failed(65, naming: "2 of 2 rows failed")
    }
    try predict("in/a.heic", "--on-error", "skip").failed(65, naming: "1 of 1 rows failed")
    // With `--max-failures`, the status only depends on that limit.
    #expect(try predict("--batch", "in", "--on-error", "skip", "--max-failures", "2").status == 0)
    #expect(try predict("--batch", "in", "--on-error", "skip", "--max-failures", "1").status == 1)
    try copy("two", to: "in/c.png")
    #expect(try predict("--batch", "in", "--on-error", "skip").status == 0)
  }

  // MARK: image outputs

  @Test func manyPicturesBecomeManyPictures() throws {
    try EncodedModel.identity([("image", .picture(32, 32))], to: "Same.mlmodel", in: folder)
    for name in ["two", "five"] { try copy(name, to: "in/\(name).png") }
    #expect(try predict("--batch", "in", "-o", "out", model: "Same.mlmodel").status == 0)
    #expect(try folder.list("out") == ["five.png", "two.png"])
    #expect(
      try predict("out/five.png", "out/two.png").output.components(separatedBy: "\"classLabel\": \"").dropFirst()
        .map { String($0.prefix { $0 != "\"" }) } == ["five", "two"])
    #expect(try predict("--batch", "in", "--compare", "out", model: "Same.mlmodel").status == 0)
    // An empty output file is written again. Another image counts as a difference.
    try folder.write("", to: "out/two.png")
    #expect(try predict("--batch", "in", "-o", "out", "--resume", model: "Same.mlmodel").status == 0)
    #expect(try predict("--batch", "in", "--compare", "out", model: "Same.mlmodel").status == 0)
    try FileManager.default.removeItem(at: folder.url.appending(path: "out/two.png"))
    try copy("five", to: "out/two.png")
    #expect(try predict("--batch", "in", "--compare", "out", model: "Same.mlmodel").status == 1)
    try predict("--batch", "in", "-o", "in", model: "Same.mlmodel").failed(64, naming: "both a row and the result")
    try predict("in/two.png", "in/five.png", "-o", "in", model: "Same.mlmodel").failed(64, naming: "both a row")
  }

  /// A pipe in a folder has no end, so a batch must not wait for it.
  @Test func pipesInAFolderAreLeftOut() throws {
    try copy("two", to: "in/two.png")
    for name in ["in/a.png", "in/b.json", "in/c.npz"] {
      #expect(mkfifo(folder.url.appending(path: name).path, 0o644) == 0)
    }
    let run = try CommandRun(["predict", Self.model, "--batch", "in"], in: folder, processorTime: 60)
    #expect(run.status == 0 && run.complaint.contains("3 that are pipes or devices"), "\(run.complaint)")
    #expect(try rows(run).count == 1)
  }

  @Test func severalPicturesOfARowHaveTheirOutputsNames() throws {
    try EncodedModel.identity([("a", .picture(4, 4)), ("b", .picture(4, 4))], to: "Pair.mlmodel", in: folder)
    try copy("two", to: "two.png")
    try folder.write(#"{"a": "two.png", "b": "two.png"}"# + "\n", to: "rows.jsonl")
    #expect(try predict("--batch", "rows.jsonl", "-o", "out", model: "Pair.mlmodel").status == 0)
    #expect(try folder.list("out") == ["000000.a.png", "000000.b.png"])
    #expect(try predict("--batch", "rows.jsonl", "--compare", "out", model: "Pair.mlmodel").status == 0)
  }
}
