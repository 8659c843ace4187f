import CoreMLBase
import Foundation
import SpecDump
import TestSupport
import Testing

@testable import CoreMLSpec

/// The views agree with Python's protobuf on every field of every message, and on real models.
///
/// Python is `COREML_PYTHON` or python3. It needs protobuf and coremltools.
@Suite(.tags(.process)) struct PythonTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let corpus = root.appending(path: "../shared/corpus/corpus-dev.tar.gz").standardizedFileURL
  static let hasCorpus = FileManager.default.fileExists(atPath: corpus.path)
  static let hasPython = (try? python(["-c", "import spec_descriptors; spec_descriptors.modules()"])) == 0

  /// Runs Python in tools/ and returns its exit status.
  static func python(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [ProcessInfo.processInfo.environment["COREML_PYTHON"] ?? "python3"] + arguments
    process.currentDirectoryURL = root.appending(path: "tools")
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test(.enabled(if: hasPython, "needs Python with protobuf and coremltools"))
  func everyFieldOfEveryMessage() throws {
    let names = try compare(["synthesize"])
    #expect(Set(names) == Set(Dump.functions.keys))
  }

  @Test(
    .enabled(if: hasPython, "needs Python with protobuf and coremltools"),
    .enabled(if: hasCorpus, "needs ../shared/corpus/corpus-dev.tar.gz"))
  func corpusModels() throws {
    #expect(try compare(["corpus", "--models", "250"], Self.corpus.path).count == 250)
  }

  /// Python writes messages and dumps, and each dump is compared with ours. Returns the names of the messages.
  private func compare(_ arguments: [String], _ last: String...) throws -> [String] {
    let out = FileManager.default.temporaryDirectory.appending(path: "coreml-spec-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: out) }
    #expect(try Self.python(["spec_dump.py"] + arguments + [out.path] + last) == 0)
    let index = try String(contentsOf: out.appending(path: "index.txt"), encoding: .utf8)
    return try index.split(separator: "\n").map { line in
      let parts = line.split(separator: " ").map(String.init)
      let (number, name) = (parts[0], parts[1])
      let function = try #require(Dump.functions[name])
      let dump = Dump()
      try function(dump, Message(try Bytes.mapping(file: out.appending(path: "\(number).bin").path)))
      let wanted = try String(contentsOf: out.appending(path: "\(number).txt"), encoding: .utf8)
      if dump.text != wanted {
        let ours = dump.text.split(separator: "\n")
        let theirs = wanted.split(separator: "\n")
        let place = zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let at = place ?? min(ours.count, theirs.count)
        Issue.record(
          "\(name) \(number), line \(at + 1): \(ours.dropFirst(at).first ?? "end"), not \(theirs.dropFirst(at).first ?? "end")"
        )
      }
      return name
    }
  }
}
