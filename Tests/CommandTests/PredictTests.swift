import FeatureFiles
import Foundation
import TestSupport
import Testing

@Suite(.tags(.process)) struct PredictTests {
  private let folder: Scratch
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path

  init() throws { folder = try Scratch() }

  private func image(_ name: String) -> String { CommandRun.digits.appending(path: "\(name).png").path }

  private func run(_ arguments: String..., stop: (signal: Int32, file: String)? = nil) throws -> CommandRun {
    try CommandRun(["predict", Self.model] + arguments, in: folder, stop: stop)
  }

  /// PyTorch's fp32 results for the same images.
  @Test(arguments: ["zero", "two", "three", "five", "seven", "nine"])
  func labelsAndProbabilitiesAreTorchs(name: String) throws {
    let data = try Data(contentsOf: CommandRun.digits.appending(path: "expected.json"))
    let record = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let images = try #require(record["images"] as? [String: [String: Any]])
    let expected = try #require(images["\(name).png"])
    let found = try run("--input", image(name)).json()
    #expect(found["classLabel"] as? String == expected["classLabel"] as? String)
    let probabilities = try #require(found["classLabel_probs"] as? [String: Double])
    let wanted = try #require(expected["classLabel_probs"] as? [String: Double])
    #expect(Set(probabilities.keys) == Set(wanted.keys))
    for (label, value) in wanted { #expect(abs(value - (probabilities[label] ?? .nan)) < 1e-5) }
  }

  @Test func aCompiledModelIsKeptAndLeftUnlessAskedOtherwise() throws {
    #expect(try run("--input", image("two"), "--no-cache", "--compute-units", "cpuOnly").status == 0)
    #expect(try folder.list().isEmpty)
    #expect(try run("--input", image("two")).status == 0)
    let entries = try folder.list(".cache/coreml/compiled").filter { !["digests", "leases"].contains($0) }
    #expect(entries.count == 1)
    #expect(try run("--input", image("two")).status == 0)
    #expect(try folder.list(".cache/coreml/compiled").filter { !["digests", "leases"].contains($0) } == entries)
  }

  @Test func anInstalledModelIsFoundByName() throws {
    let models = folder.url.appending(path: ".local/share/coreml/models")
    try FileManager.default.createDirectory(at: models, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.model, toPath: models.appending(path: "digits.mlpackage").path)
    let found = try CommandRun(["predict", "digits", "--input", image("seven")], in: folder)
    #expect(try found.json()["classLabel"] as? String == "seven")
    try CommandRun(["predict", "letters", "--input", image("seven")], in: folder).failed(74, naming: "letters")
  }

  // MARK: batches

  private static let names = ["zero", "two", "three", "five", "seven", "nine"]

  private func writeRows(_ names: [String] = names, bad: Int? = nil) throws {
    var lines = names.map { "{\"image\": {\"image\": \"\(image($0))\"}}" }
    if let bad { lines.insert("{\"image\": 3}", at: bad) }
    try folder.write(lines.joined(separator: "\n") + "\n", to: "rows.jsonl")
  }

  private func labels(_ file: String) throws -> [String] {
    try folder.read(file).split(separator: "\n").map { line in
      let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return (row["classLabel"] ?? row["error"]) as? String ?? ""
    }
  }

  @Test func rowsOfLinesComeInOrder() throws {
    try writeRows()
    #expect(try run("--batch", "rows.jsonl", "--output", "out.jsonl").status == 0)
    #expect(try labels("out.jsonl") == Self.names)
    #expect(try run("--batch", "rows.jsonl", "--output", "two.jsonl", "--batch-size", "4").status == 0)
    #expect(try folder.read("two.jsonl") == folder.read("out.jsonl"))
    #expect(try !folder.list().contains { $0.hasSuffix(".partial") })
  }

  @Test func sharesTogetherAreTheWhole() throws {
    try writeRows()
    for share in 1...4 {
      #expect(try run("--batch", "rows.jsonl", "--output", "out\(share).jsonl", "--shard", "\(share)/4").status == 0)
    }
    #expect(try (1...4).flatMap { try labels("out\($0).jsonl") }.sorted() == Self.names.sorted())
    try run("--batch", "rows.jsonl", "--shard", "5/4").failed(64, naming: "shard")
  }

  @Test func aRowThatFailsStopsOrIsLeftOutOrRecorded() throws {
    try writeRows(bad: 2)
    try run("--batch", "rows.jsonl", "--output", "stop.jsonl").failed(65, naming: "row 3")
    #expect(try !folder.list().contains("stop.jsonl"))
    #expect(try run("--batch", "rows.jsonl", "--output", "skip.jsonl", "--on-error", "skip").status == 0)
    #expect(try labels("skip.jsonl") == Self.names)
    #expect(try run("--batch", "rows.jsonl", "--output", "record.jsonl", "--on-error", "record").status == 0)
    let recorded = try labels("record.jsonl")
    #expect(recorded.count == Self.names.count + 1 && recorded[2].contains("row 3"))
    // The rows before the failure stay, and a resumed run continues after them.
    #expect(try run("--batch", "rows.jsonl", "--output", "stop.jsonl", "--resume", "--on-error", "skip").status == 0)
    #expect(try labels("stop.jsonl") == Self.names)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalStopsCleanlyAndTheRunGoesOnLater(signal: Int32) throws {
    try writeRows(Array(repeating: Self.names, count: 4000).flatMap { $0 })
    let stopped = try run("--batch", "rows.jsonl", "--output", "out.jsonl", stop: (signal, "out.jsonl.partial"))
    #expect(stopped.signal == nil)
    #expect(stopped.status == 128 + signal, "\(stopped.complaint)")
    #expect(
      stopped.complaint.contains("of 24000 rows are done") && stopped.complaint.contains("out.jsonl.partial")
        && stopped.complaint.contains("--resume"), "\(stopped.complaint)")
    #expect(try !folder.list().contains("out.jsonl"))
    try writeRows(Self.names + Self.names)
    // Complete lines are kept, and a partial line is not.
    let lines = try folder.read("out.jsonl.partial").split(separator: "\n", maxSplits: 9)
    let kept = lines.prefix(9).map { $0 + "\n" }.joined()
    try folder.write(kept + (lines.count > 9 ? String(lines[9].prefix(10)) : ""), to: "out.jsonl.partial")
    let resumed = try run("--batch", "rows.jsonl", "--output", "out.jsonl", "--resume")
    #expect(resumed.status == 0, "\(resumed.complaint)")
    #expect(try labels("out.jsonl") == Self.names + Self.names)
  }

  @Test func aTableAndAFolderAreRowsToo() throws {
    try folder.write("image\r\n\(image("two"))\r\n\"\(image("nine"))\"\r\n", to: "rows.csv")
    #expect(try run("--batch", "rows.csv", "--output", "out.jsonl").status == 0)
    #expect(try labels("out.jsonl") == ["two", "nine"])
    for name in ["five", "two"] {
      try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: image(name), toPath: folder.url.appending(path: "in/\(name).png").path)
    }
    #expect(try run("--batch", "in", "--output", "out").status == 0)
    #expect(try folder.list("out") == ["five.json", "two.json"])
    let before = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: "out/two.json").path)
    try FileManager.default.removeItem(at: folder.url.appending(path: "out/five.json"))
    #expect(try run("--batch", "in", "--output", "out", "--resume").status == 0)
    let after = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: "out/two.json").path)
    #expect(try folder.list("out") == ["five.json", "two.json"])
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
  }

  // MARK: comparing

  @Test func comparingTellsWhatAgrees() throws {
    #expect(try run("--input", image("five"), "--output", "expected.json").status == 0)
    let same = try run("--input", image("five"), "--compare", "expected.json")
    #expect(same.status == 0)
    #expect(try same.json()["passed"] as? Bool == true)
    let other = try run("--input", image("two"), "--compare", "expected.json")
    #expect(other.status == 1)
    #expect(other.complaint.isEmpty)
    #expect(try other.json()["passed"] as? Bool == false)
    #expect(try run("--input", image("two"), "--compare", "expected.json", "--atol", "2").status == 1)
  }
}
