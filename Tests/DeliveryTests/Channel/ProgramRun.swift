import Foundation
import Testing

/// A program of this package, run in a home of its own.
struct ProgramRun {
  let status: Int32
  let output: String
  let errors: String

  var json: [String: Any]? { try? JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] }

  /// Where the programs lie: beside the tests.
  static let folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()

  /// Begins a run; the closure waits for its end.
  static func begin(_ program: URL, _ words: [String], home: URL) throws -> () throws -> ProgramRun {
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": home.path, "TMPDIR": NSTemporaryDirectory()]
    let texts = try TemporaryFolder()
    let (output, errors) = (try texts.write("", to: "out"), try texts.write("", to: "err"))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    return {
      process.waitUntilExit()
      return ProgramRun(status: process.terminationStatus, output: try texts.read("out"), errors: try texts.read("err"))
    }
  }

  /// `runtime WORDS`, to its end.
  static func runtime(_ words: String..., home: URL) throws -> ProgramRun {
    try begin(folder.appending(path: "runtime"), words, home: home)()
  }
}
