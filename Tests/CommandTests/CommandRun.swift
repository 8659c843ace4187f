import Foundation
import Testing

/// The `runtime` command of this build, run in a separate process.
struct CommandRun {
  let status: Int32
  let output: String
  let complaint: String
  /// The number of the signal that ended the process, if one did.
  let signal: Int32?

  static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let digits = checkout.appending(path: "examples/digits")

  private static var executable: URL {
    URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().appending(
      path: "runtime")
  }

  /// A process that is not started yet. `folder` is its home for caches and installed models.
  static func process(_ arguments: [String], in folder: Scratch, environment: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    // Sanitizers read their options, including suppressions, from the environment.
    let sanitizers = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
    // Progress lines depend on the machine's speed, so they are off unless a test asks for them.
    let usual = ["HOME": folder.url.path, "PATH": "/usr/bin:/bin", "COREML_PROGRESS_SECONDS": "0"]
    process.environment = sanitizers.merging(usual) { $1 }.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs the command to its end. Output goes through files, which do not fill up as pipes do. `redirection` is a shell
  /// redirection such as `> /dev/full`. In a shell's `line` the command is "$0" and "$@". With a user name, the process
  /// runs as that user. A process that uses more than `processorTime` ends by a signal. A busy machine does not affect
  /// this limit.
  init(
    _ arguments: [String], in folder: Scratch, environment: [String: String] = [:], input: String? = nil,
    stop: (signal: Int32, file: String)? = nil, addressSpace kilobytes: Int? = nil, processorTime seconds: Int? = nil,
    redirection: String? = nil, shell line: String? = nil, as user: String? = nil
  ) throws {
    let process = Self.process(arguments, in: folder, environment: environment)
    let limits = [kilobytes.map { "ulimit -v \($0)" }, seconds.map { "ulimit -t \($0)" }].compactMap { $0 }
    if !limits.isEmpty {
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments =
        ["-c", "\(limits.joined(separator: " && ")) && exec \"$0\" \"$@\"", Self.executable.path] + arguments
    }
    if let redirection {
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exec \"$0\" \"$@\" \(redirection)", Self.executable.path] + arguments
    }
    if let line {
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["-c", line, Self.executable.path] + arguments
    }
    if let user, let program = process.executableURL {
      process.executableURL = URL(filePath: "/usr/bin/setpriv")
      process.arguments =
        ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program.path] + (process.arguments ?? [])
    }
    let names = (out: ".out-\(UUID().uuidString)", err: ".err-\(UUID().uuidString)")
    process.standardOutput = try folder.handle(names.out)
    process.standardError = try folder.handle(names.err)
    if let input {
      process.standardInput = try FileHandle(forReadingFrom: folder.write(input, to: ".in-\(UUID().uuidString)"))
    }
    try process.run()
    if let stop {
      // Once the file has content, the command is in the middle of its work.
      for _ in 0..<6000 where process.isRunning {
        if (try? folder.read(stop.file).isEmpty) == false { break }
        Thread.sleep(forTimeInterval: 0.01)
      }
      kill(process.processIdentifier, stop.signal)
    }
    process.waitUntilExit()
    status = process.terminationStatus
    signal = process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
    output = try folder.read(names.out)
    complaint = try folder.read(names.err)
    try? FileManager.default.removeItem(at: folder.url.appending(path: names.out))
    try? FileManager.default.removeItem(at: folder.url.appending(path: names.err))
  }

  /// The output as a JSON object.
  func json() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output) \(complaint)")
  }

  /// Checks the contract of every failure: the status, one line on standard error, and no signal.
  func failed(_ expected: Int32, naming word: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(signal == nil, "\(complaint)", sourceLocation: sourceLocation)
    #expect(status == expected, "\(complaint)", sourceLocation: sourceLocation)
    #expect(
      complaint.hasPrefix("runtime: ") && complaint.hasSuffix("\n"), "\(complaint)", sourceLocation: sourceLocation)
    // A batch may first report the files of a folder that are not rows.
    let said = complaint.split(separator: "\n")
    let sentences = said.count > 1 ? said.filter { !$0.contains(": left out ") } : said
    #expect(sentences.count == 1, "\(complaint)", sourceLocation: sourceLocation)
    #expect(complaint.contains(word), "\(complaint)", sourceLocation: sourceLocation)
  }
}

/// A folder that exists while a test runs.
final class Scratch: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "command-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  @discardableResult func write(_ text: String, to path: String) throws -> URL {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file
  }

  func read(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: path)), as: UTF8.self)
  }

  func handle(_ path: String) throws -> FileHandle {
    try write("", to: path)
    return try FileHandle(forWritingTo: url.appending(path: path))
  }

  /// The content of a folder, including hidden files.
  func list(_ path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.appending(path: path).path).sorted()
  }
}
