import Foundation
import TestSupport
import Testing

/// Files that the command writes: their content, their names and their durability.
@Suite(.tags(.process)) struct OutputFileTests {
  private let folder: Scratch
  private let square: String
  private static let digits = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private static let image = CommandRun.digits.appending(path: "two.png").path

  init() throws {
    folder = try Scratch()
    square = try WrittenModel.write(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = square(x = x); } -> (y)", inputs: ["x": [2]], outputs: ["y": [2]],
      in: folder, named: "Square")
    try folder.write("{\"x\": [1, 2]}\n{\"x\": [3, 4]}\n", to: "rows.jsonl")
    try folder.write("{\"x\": [1, 2]}", to: "x.json")
  }

  private func predict(_ words: String..., environment: [String: String] = [:]) throws -> CommandRun {
    try CommandRun(["predict"] + words, in: folder, environment: environment)
  }

  // MARK: names

  /// A name may be as long as file systems allow. The temporary name is not longer.
  @Test(arguments: [".json", ".npz", ".jsonl", ""]) func aNameMayBeLong(suffix: String) throws {
    // Two bytes per letter, and an odd number of bytes before the suffix.
    let name = "x" + String(repeating: "ä", count: (254 - suffix.utf8.count) / 2) + suffix
    #expect((253...255).contains(name.utf8.count))
    let words = suffix == ".jsonl" || suffix.isEmpty ? ["--batch", "rows.jsonl"] : ["--input", "x.json"]
    let run = try CommandRun(["predict", square] + words + ["--output", name], in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: name).path))
    #expect(try !folder.list().contains { $0.hasSuffix(".partial") })
  }

  /// Names with a common prefix have different temporary names. The next run of an output removes the remains of its
  /// killed run, and nothing else.
  @Test func longNamesAreApart() throws {
    let names = ["a", "b"].map { String(repeating: "x", count: 240) + "\($0).jsonl" }
    for name in names { #expect(try predict(square, "--batch", "rows.jsonl", "--output", name).status == 0) }
    for name in names { #expect(try folder.read(name).split(separator: "\n").count == 2) }
    let rows = ["a", "b"].map { String(repeating: "y", count: 240) + $0 }
    for row in rows { try folder.write("{\"x\": [1, 2]}", to: "in/\(row).json") }
    #expect(try predict(square, "--batch", "in", "--output", "out").status == 0)
    #expect(try folder.list("out") == rows.map { "\($0).npz" })
  }

  // MARK: existing files

  /// A result does not replace any of its inputs.
  @Test(arguments: [
    (["--batch", "rows.jsonl"], "rows.jsonl"), (["--input", "x.json"], "x.json"), (["--input", "link.json"], "x.json"),
    (["--batch", "rows.jsonl", "--compare", "e.jsonl"], "e.jsonl"), (["--batch", "in"], "in/r.json"),
  ])
  func anOutputIsNoInput(words: [String], output: String) throws {
    try folder.write("{\"row\": 1, \"y\": [1, 4]}\n", to: "e.jsonl")
    #expect(symlink("x.json", folder.url.appending(path: "link.json").path) == 0)
    try folder.write("{\"x\": [1, 2]}", to: "in/r.json")
    let before = try folder.read(output)
    let run = try CommandRun(["predict", square] + words + ["--output", output], in: folder)
    run.failed(64, naming: "expected another output than")
    #expect(try folder.read(output) == before)
  }

  @Test func aDumpAndAnEncryptedModelReplaceNothingThatIsRead() throws {
    let both = try predict(square, "--input", "x.json", "--output", "o.npz", "--dump", "./o.npz")
    both.failed(64, naming: "expected one output of that path")
    #expect(try predict(square, "--input", "x.json", "--output", "o.npz").status == 0)
    #expect(try predict(square, "--input", "x.json", "--dump", "d.npz").status == 0)
    #expect(try CommandRun(["models", "new-key", "k.key"], in: folder).status == 0)
    let key = try Data(contentsOf: folder.url.appending(path: "k.key"))
    let run = try CommandRun(["models", "encrypt", square, "--key-file", "k.key", "-o", "k.key"], in: folder)
    run.failed(64, naming: "expected another output than")
    #expect(try Data(contentsOf: folder.url.appending(path: "k.key")) == key)
  }

  /// A model only replaces a model or an empty folder.
  @Test func aFolderThatIsNoModelIsNotReplaced() throws {
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    let name = "Passenger.mlmodelc"
    func compile(_ output: String) throws -> CommandRun {
      try CommandRun(["compile", "Passenger.mlmodel", "-o", output], in: folder)
    }
    try folder.write("precious", to: "out/\(name)/photos/one.txt")
    try compile("out").failed(73, naming: "a folder that is no .mlmodelc")
    #expect(try folder.read("out/\(name)/photos/one.txt") == "precious")
    try folder.write("precious", to: "file/\(name)")
    try compile("file").failed(73, naming: "a file that is no .mlmodelc")
    #expect(mkdir(folder.url.appending(path: "empty").path, 0o755) == 0)
    #expect(mkdir(folder.url.appending(path: "empty/\(name)").path, 0o755) == 0)
    for _ in 1...2 { #expect(try compile("empty").status == 0) }
  }

  /// Memory for writing and comparing is reserved in advance.
  @Test func outputsCountAgainstTheMemoryLimit() throws {
    let wide = try WrittenModel.write(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2000000]> y = tile(x = x, reps = tensor<int32, [1]>([1000000])); } -> (y)",
      inputs: ["x": [2]], outputs: ["y": []], in: folder, named: "Wide")
    let words = [wide, "--input", "x.json", "--memory-limit", "64M"]
    #expect(try CommandRun(["predict"] + words + ["--output", "y.npz"], in: folder).status == 0)
    for more in [["--output", "y.json"], ["--output", "-"], ["--compare", "y.npz"]] {
      try CommandRun(["predict"] + words + more, in: folder).failed(75, naming: "giving the outputs, 2000000 numbers")
    }
  }

  // MARK: values

  /// `--top-k` applies to files as it does to standard output.
  @Test(arguments: ["one.json", "many.jsonl", "folder"]) func topKHoldsInFiles(output: String) throws {
    try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.image, toPath: folder.url.appending(path: "in/two.png").path)
    let rows = output == "one.json" ? ["--input", Self.image] : ["--batch", "in"]
    let run = try CommandRun(
      ["predict", Self.digits] + rows + ["--output", output, "--top-k", "3", "--compute-units", "cpuOnly"], in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    let text = try folder.read(output == "folder" ? "folder/two.json" : output)
    let found = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let probabilities = try #require(found["classLabel_probs"] as? [String: Double])
    let best = probabilities.max { $0.value < $1.value }?.key
    #expect(probabilities.count == 3 && best == "two", "\(probabilities)")
  }

  /// The CPU has a name in the list of devices, and can be selected by it.
  @Test func theProcessorIsADevice() throws {
    let listed = try CommandRun(["devices", "--json"], in: folder)
    #expect(listed.output.contains("\"cpu\""), "\(listed.output)")
    let found = try predict(Self.digits, "--input", Self.image, "--device", "cpu").json()
    #expect(found["classLabel"] as? String == "two")
  }

  /// A batch is compared with the output of a batch in any format.
  @Test(arguments: [["many.jsonl"], ["many.npz"], ["folder"]], [["--batch", "rows.jsonl"], ["--batch", "in"]])
  func aBatchIsComparedWithWhatABatchWrites(output: [String], rows: [String]) throws {
    for (name, x) in [("b", "[1, 2]"), ("a.b", "[3, 4]")] { try folder.write("{\"x\": \(x)}", to: "in/\(name).json") }
    let words = ["predict", square] + rows
    #expect(try CommandRun(words + ["--output"] + output, in: folder).status == 0)
    let same = try CommandRun(words + ["--compare"] + output, in: folder)
    #expect(same.status == 0, "\(same.complaint) \(same.output)")
    let line = try #require(same.output.split(separator: "\n").last)
    let report = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let found = try #require(report?["outputs"] as? [[String: Any]])
    #expect(found.count == 2 && found.allSatisfy { $0["passed"] as? Bool == true }, "\(found)")
    // Another model gives other outputs.
    let other = try WrittenModel.write(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = abs(x = x); } -> (y)", inputs: ["x": [2]], outputs: ["y": [2]],
      in: folder, named: "Other")
    #expect(try CommandRun(["predict", other] + rows + ["--compare"] + output, in: folder).status == 1)
    // The error names a missing row.
    try folder.write("{\"x\": [1, 2]}\n{\"x\": [3, 4]}\n{\"x\": [5, 6]}\n", to: "rows.jsonl")
    try folder.write("{\"x\": [1, 2]}", to: "in/c.json")
    let more = try CommandRun(words + ["--compare"] + output, in: folder)
    #expect(more.status != 0 && more.complaint.contains("expected"), "\(more.complaint)")
  }

  /// A shell replaces `<(...)` by the name of a pipe.
  @Test func processesStandForInputs() throws {
    let process = CommandRun.process([], in: folder)
    let runtime = try #require(process.executableURL).path
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      "-c",
      "\"$0\" predict \"$1\" --input <(cat x.json) --output - && \"$0\" predict \"$1\" --batch <(cat rows.jsonl) --output -",
      runtime, square,
    ]
    let out = try folder.handle("out")
    (process.standardOutput, process.standardError) = (out, out)
    try process.run()
    process.waitUntilExit()
    let lines = try folder.read("out").split(separator: "\n")
    #expect(process.terminationStatus == 0 && lines.count == 3, "\(lines)")
    #expect(lines.allSatisfy { $0.contains("\"y\"") }, "\(lines)")
  }

  // MARK: durability

  /// The bytes of a file are on disk before it gets its name. A preloaded library records the calls.
  @Test(.enabled(if: FaultShim.isUsable, "a sanitizer comes first"))
  func filesLastBeforeTheyHaveTheirNames() throws {
    let shim = try FaultShim.build(in: folder)
    for (words, file) in [
      (["--input", "x.json", "--output", "one.npz"], "one.npz"),
      (["--input", "x.json", "--output", "one.json"], "one.json"),
      (["--batch", "rows.jsonl", "--output", "many.npz"], "many.npz"),
      (["--batch", "rows.jsonl", "--output", "many.jsonl"], "many.jsonl"),
      (["--batch", "rows.jsonl", "--output", "folder"], "folder/000001.npz"),
    ] {
      let log = folder.url.appending(path: "calls")
      try? FileManager.default.removeItem(at: log)
      let run = try CommandRun(
        ["predict", square] + words, in: folder,
        environment: ["LD_PRELOAD": shim, "FAULT_UNDER": folder.url.path, "FAULT_LOG": log.path])
      #expect(run.status == 0, "\(run.complaint)")
      let calls = try folder.read("calls").split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
      let named = try #require(calls.firstIndex { $0[1] == "rename" && $0[2].hasSuffix("/\(file)") }, "\(calls)")
      let written = calls[..<named].filter { $0[2].hasSuffix(".partial") && $0[2].contains(file) }
      #expect(written.last?[1] == "fsync", "\(file): \(written)")
    }
  }
}
