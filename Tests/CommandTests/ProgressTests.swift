import Foundation
import TestSupport
import Testing

/// Progress on a terminal fits its width. Elsewhere it is a line at intervals.
@Suite(.tags(.process)) struct ProgressTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    let rows = (0..<6000).map { "{\"Sex\": \"a\", \"Age\": \($0)}\n" }.joined()
    try folder.write(rows, to: "rows.jsonl")
  }

  private static let arguments = ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", "out.jsonl"]

  /// The output of a process on a terminal with `columns` columns. With 0, the terminal does not report its width.
  private func drawn(columns: UInt16, environment: [String: String]) throws -> String {
    let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(main >= 0)
    defer { close(main) }
    // TIOCSPTLCK and TIOCGPTN: the calls of `unlockpt` and `ptsname`.
    var (locked, number) = (Int32(0), Int32(0))
    try #require(ioctl(main, 0x4004_5431, &locked) == 0)
    try #require(ioctl(main, 0x8004_5430, &number) == 0)
    let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(other >= 0)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(main, UInt(TIOCSWINSZ), &size) == 0)
    let process = CommandRun.process(Self.arguments, in: folder, environment: environment)
    process.standardError = FileHandle(fileDescriptor: other, closeOnDealloc: false)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    close(other)
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Reading fails with EIO once no process has the other end open.
    while true {
      let count = read(main, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: text, as: UTF8.self)
  }

  @Test(arguments: [(100, 0), (40, 0), (18, 0), (0, 30)] as [(UInt16, Int)])
  func aTerminalIsNeverFilled(columns: UInt16, environment: Int) throws {
    let text = try drawn(columns: columns, environment: environment > 0 ? ["COLUMNS": "\(environment)"] : [:])
    let width = max(Int(columns), environment)
    #expect(!text.contains("\n"))
    let lines = text.split(separator: "\r\u{1B}[K").filter { $0.contains("/6000") }
    #expect(lines.count > 1, "\(text)")
    for line in lines { #expect(line.count < width, "\(line)") }
    // The bar is drawn if there is room for it.
    #expect(lines.contains { $0.contains("#") || $0.contains("[.") } == (width >= 40))
  }

  @Test func aPipeGetsALineAtATime() throws {
    let run = try CommandRun(Self.arguments, in: folder, environment: ["COREML_PROGRESS_SECONDS": "0.2"])
    #expect(run.status == 0)
    let lines = run.complaint.split(separator: "\n").filter { $0.contains("Predicting") }
    #expect(lines.count > 1, "\(run.complaint)")
    for line in lines { #expect(line.hasPrefix("runtime: Predicting: ") && line.contains("/6000"), "\(line)") }
    #expect(!run.complaint.contains("\u{1B}"))
    let quiet = try CommandRun(Self.arguments, in: folder, environment: ["COREML_PROGRESS_SECONDS": "0"])
    #expect(quiet.status == 0 && quiet.complaint.isEmpty)
  }

  @Test func eachLongWaitSaysForWhat() throws {
    let environment = ["COREML_PROGRESS_SECONDS": "0.001"]
    let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
    // On a busy processor, a short wait can end before its first line is due. Commands that only read may be repeated.
    func says(_ words: [String], _ text: String, attempts: Int = 1) throws {
      var run = try CommandRun(words, in: folder, environment: environment)
      for _ in 1..<attempts where !run.complaint.contains("runtime: \(text)") {
        run = try CommandRun(words, in: folder, environment: environment)
      }
      #expect(run.complaint.contains("runtime: \(text)"), "\(words): \(run.status) \(run.complaint)")
    }
    let units = ["--compute-units", "cpuOnly"]
    try says(["models", "install", model] + units, "Compiling and trying Digits: ")
    try says(
      [
        "fetch", URL(filePath: model).appending(path: "Data/com.apple.CoreML/model.mlmodel").absoluteString, "--name",
        "m",
      ]
        + units, "Compiling and trying m: ")
    try says(["cache", "verify"], "Reading all models: ", attempts: 50)
    try says(["inspect", model, "--stage", "plan"], "Inspecting Digits.mlpackage: ", attempts: 50)
    #expect(try CommandRun(["publish", "init", "shop", "--name", "shop"], in: folder).status == 0)
    try says(["publish", "add", "shop", model, "--version", "1"], "Trying and packing Digits: ")
    #expect(try CommandRun(["publish", "sign", "shop"], in: folder).status == 0)
    try says(["publish", "verify", "shop", "--unpack"], "Reading and unpacking what is published: ", attempts: 50)
  }

  /// Cancelling the trial of a fetched model works as for an installed model: at once, and without remains.
  @Test func anInterruptionWhileWhatWasFetchedIsTriedLeavesNothing() throws {
    let helper = try folder.write(
      "#!/bin/sh\necho begun > '\(folder.url.path)/begun'\nexec sleep 600\n", to: "helper")
    #expect(chmod(helper.path, 0o755) == 0)
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    let run = try CommandRun(
      ["fetch", folder.url.appending(path: "Passenger.mlmodel").absoluteString, "--name", "m"], in: folder,
      environment: ["COREML_TRIAL_HELPER": helper.path], stop: (SIGINT, "begun"))
    #expect(run.status == 130 && run.signal == nil, "\(run.complaint)")
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    #expect(!left.contains { $0.contains(".staged-") }, "\(left)")
  }

  /// There is no progress while a model is loaded. The command still reports what it waits for.
  @Test func waitingSaysForWhat() throws {
    var text = "(tensor<fp32, [1]> v0) {"
    for index in 1...3000 { text += "tensor<fp32, [1]> v\(index) = square(x = v\(index - 1));\n" }
    let model = try WrittenModel.write(
      text + "} -> (v3000)", inputs: ["v0": [1]], outputs: ["v3000": [1]], in: folder, named: "Long")
    try folder.write("{\"v0\": [1]}", to: "x.json")
    let run = try CommandRun(
      ["predict", model, "--input", "x.json"], in: folder, environment: ["COREML_PROGRESS_SECONDS": "0.05"])
    #expect(run.status == 0 && run.complaint.contains("Loading Long.mlmodelc: "), "\(run.complaint)")
  }
}
