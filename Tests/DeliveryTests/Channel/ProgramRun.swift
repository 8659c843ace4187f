import Foundation
import Testing

/// A program of this package, run with its own home folder.
struct ProgramRun {
  let status: Int32
  let output: String
  let errors: String

  var json: [String: Any]? { try? JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] }

  /// The folder of the programs, next to the test executable.
  static let folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()

  /// A running program.
  struct Running: Sendable {
    fileprivate let ended: AsyncStream<Int32>
    fileprivate let texts: TemporaryFolder

    /// Waits for the end of the program without blocking a thread, because tests share few threads.
    func end() async throws -> ProgramRun {
      let status = await ended.first { _ in true }
      return ProgramRun(status: status ?? -1, output: try texts.read("out"), errors: try texts.read("err"))
    }
  }

  static func begin(
    _ program: URL, _ words: [String], home: URL, environment: [String: String] = [:]
  ) throws -> Running {
    let process = Process()
    process.executableURL = program
    process.arguments = words
    let own = ProcessInfo.processInfo.environment
    // Sanitizers read their options, including suppressions, from the environment.
    process.environment = own.filter { $0.key.hasSuffix("SAN_OPTIONS") }.merging([
      "PATH": own["PATH"] ?? "/usr/bin:/bin", "HOME": home.path, "TMPDIR": NSTemporaryDirectory(),
    ]) { $1 }.merging(environment) { $1 }
    let texts = try TemporaryFolder()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: texts.write("", to: "out"))
    process.standardError = try FileHandle(forWritingTo: texts.write("", to: "err"))
    let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      continuation.yield(process.terminationStatus)
      continuation.finish()
    }
    try process.run()
    return Running(ended: ended, texts: texts)
  }

  /// Runs `runtime` with arguments until it ends.
  static func runtime(_ words: String..., home: URL) async throws -> ProgramRun {
    try await begin(folder.appending(path: "runtime"), words, home: home).end()
  }
}
