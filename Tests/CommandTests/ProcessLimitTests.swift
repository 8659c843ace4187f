import Foundation
import TestSupport
import Testing

/// Limits of the operating system on a process end in an error message: no hang and no signal.
@Suite(.tags(.process), .serialized) struct ProcessLimitTests {
  let folder: Scratch
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private static let picture = CommandRun.digits.appending(path: "seven.png").path

  init() throws { folder = try Scratch() }

  /// Runs the command under limits of a shell (`ulimit`). After a minute it is killed.
  private func run(_ limits: String, _ words: [String], as user: String? = nil) throws -> CommandRun {
    let line = "\(limits); exec timeout -s KILL 60 \"$0\" \"$@\""
    return try CommandRun(words, in: folder, shell: line, as: user)
  }

  static let commands: [[String]] = [
    ["predict", model, "--input", picture], ["compile", model, "-o", "compiled"], ["inspect", model],
    ["bench", model, "--iterations", "1"], ["models"],
    ["fetch", "file://\(CommandRun.digits.path)/seven.png", "-o", "fetched"],
  ]

  /// Either the command succeeds, or one error message names the exhausted resource.
  private func endsWell(_ run: CommandRun, _ limits: String, _ words: [String]) {
    let what = "\(limits), \(words[0]): \(run.status), \(run.complaint)"
    #expect(run.signal == nil, "\(what)")
    // 127: the system's loader has no memory for the libraries.
    #expect([0, 73, 74, 75, 127].contains(run.status), "\(what)")
    if run.status == 127 { return #expect(run.complaint.contains("shared libraries"), "\(what)") }
    if run.status != 0 { #expect(run.complaint.contains("runtime: "), "\(what)") }
  }

  @Test(arguments: commands.indices) func fewDescriptors(index: Int) throws {
    for count in [4, 5, 8, 12, 16, 20, 24, 32] {
      let run = try run("ulimit -n \(count)", Self.commands[index])
      endsWell(run, "ulimit -n \(count)", Self.commands[index])
      if count == 5 { run.failed(75, naming: "ulimit -n") }
      if count == 32 { #expect(run.status == 0, "\(Self.commands[index]): \(run.complaint)") }
    }
  }

  @Test(.enabled(if: FaultShim.isUsable, "sanitizers take terabytes of addresses"), arguments: commands.indices)
  func littleMemory(index: Int) throws {
    for limits in [
      "-v 200000", "-v 300000", "-v 400000", "-v 600000", "-d 32000", "-d 65536", "-d 110000", "-s 64", "-s 128",
      "-s 512",
    ] {
      endsWell(try run("ulimit \(limits)", Self.commands[index]), limits, Self.commands[index])
    }
  }

  @Test func aFileThatMayNotGrowIsAnOutputThatCannotBeWritten() throws {
    let lines = String(repeating: "{\"image\": {\"image\": \"\(Self.picture)\"}}\n", count: 40)
    let batch = try folder.write(lines, to: "rows.jsonl").path
    // Compiled once before. If the cache cannot store a file, the command only warns.
    let words = ["predict", Self.model, "--batch", batch, "--output", "out.jsonl"]
    #expect(try run("true", words).status == 0)
    try FileManager.default.removeItem(at: folder.url.appending(path: "out.jsonl"))
    let limited = try run("ulimit -f 1", words)
    #expect(limited.signal == nil && limited.status == 73, "\(limited.status): \(limited.complaint)")
    #expect(limited.complaint.contains("File too large"), "\(limited.complaint)")
    let compiled = try run("ulimit -f 1", ["compile", Self.model, "-o", "compiled"])
    #expect(compiled.signal == nil && compiled.status == 73, "\(compiled.status): \(compiled.complaint)")
  }

  /// libarchive's own sentence is "Write error".
  @Test(arguments: [
    (["--input", "x.json"], "y.npz"), (["--batch", "x.jsonl"], "y.npz"), (["--batch", "x.jsonl"], "y"),
  ])
  func anArchiveThatDoesNotFitNamesTheReason(rows: [String], output: String) throws {
    let wide = try WrittenModel.write(
      "(tensor<fp32, [2]> x) { tensor<fp32, [4000]> y = tile(x = x, reps = tensor<int32, [1]>([2000])); } -> (y)",
      inputs: ["x": [2]], outputs: ["y": []], in: folder, named: "Wide")
    try folder.write("{\"x\": [1, 2]}", to: "x.json")
    try folder.write("{\"x\": [1, 2]}\n", to: "x.jsonl")
    let words = ["predict", wide] + rows + ["--output"]
    #expect(try run("true", words + ["first\(output == "y" ? "" : ".npz")"]).status == 0)
    let limited = try run("ulimit -f 2", words + [output])
    limited.failed(73, naming: "cannot be written: File too large")
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "y.npz").path))
  }

  /// A block of lines that did not fit on the disk is not counted as done, and is written once.
  @Test func aBlockThatDidNotFitIsPredictedAgain() throws {
    try SmallModels.write(SmallModels.mixed, to: "mixed.mlmodel", in: folder)
    let rows = (0..<3000).map { "\($0),\($0 % 7).5,red\n" }.joined()
    try folder.write("a,b,color\n" + rows, to: "rows.csv")
    let words = ["predict", "mixed.mlmodel", "--batch", "rows.csv", "-o"]
    #expect(try run("true", words + ["whole.csv"]).status == 0)
    let limited = try run("ulimit -f 32", words + ["out.csv"])
    #expect(limited.status == 73 && limited.signal == nil, "\(limited.complaint)")
    let record = try folder.read(".out.csv.run").split(separator: "\n")
    #expect(Set(record).count == record.count, "a block stands twice")
    #expect(try run("true", words + ["out.csv", "--resume"]).status == 0)
    #expect(try folder.read("out.csv") == folder.read("whole.csv"))
  }

  /// Files that wait to be renamed are open. Their number is below the process's limit.
  @Test func aFolderOfResultsNeedsFewOpenFiles() throws {
    try SmallModels.write(SmallModels.mixed, to: "mixed.mlmodel", in: folder)
    try folder.write("a,b,color\n" + (0..<300).map { "\($0),1,red\n" }.joined(), to: "rows.csv")
    let words = ["predict", "mixed.mlmodel", "--batch", "rows.csv", "-o"]
    #expect(try run("true", words + ["whole"]).status == 0)
    let limited = try run("ulimit -n 40", words + ["limited"])
    #expect(limited.status == 0 && limited.signal == nil, "\(limited.complaint)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "limited").path).count == 300)
  }

  /// Devices have no end, so the command refuses them.
  @Test(arguments: ["--input", "--batch"]) func aDeviceIsNoInput(option: String) throws {
    let named = try CommandRun(["predict", Self.model, option, "/dev/zero"], in: folder, processorTime: 60)
    named.failed(74, naming: "found a device")
    let piped = try CommandRun(
      ["predict", Self.model, option, "-"], in: folder, redirection: "< /dev/zero")
    piped.failed(74, naming: "found a device")
  }

  /// Needs root, which may switch to a user without processes and ignores the limit of processes.
  @Test(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "needs root and setpriv"))
  func aUserAtTheLimitOfProcesses() throws {
    chmod(folder.url.path, 0o777)
    for count in [2, 3, 4, 5, 6, 7, 8, 10, 16] {
      for words in [Self.commands[0], Self.commands[2]] {
        let run = try run("ulimit -u \(count)", words, as: "65533")
        endsWell(run, "ulimit -u \(count)", words)
        if count == 3 { run.failed(75, naming: "ulimit -u") }
        if count == 16 { #expect(run.status == 0, "\(run.complaint)") }
      }
    }
  }

  /// The clock is past 2262-04-11, when the nanoseconds since 1970 exceed 64 bits.
  @Test(
    .enabled(if: FaultShim.isUsable, "a sanitizer's runtime must come first"), arguments: ["9223372037", "20000000000"])
  func aClockFarAhead(seconds: String) throws {
    let shim = try FaultShim.build(in: folder)
    let environment = ["LD_PRELOAD": shim, "FAULT_CLOCK": seconds]
    for _ in 1...2 {
      let run = try CommandRun(
        ["predict", Self.model, "--input", Self.picture, "--json"], in: folder, environment: environment)
      #expect(run.signal == nil && run.status == 0, "\(run.complaint)")
    }
    let listed = try CommandRun(["cache", "prune", "--max-age", "1"], in: folder, environment: environment)
    #expect(listed.status == 0, "\(listed.complaint)")
    #expect(try CommandRun(["cache", "verify"], in: folder, environment: environment).status == 0)
  }
}
