import CoreMLImages
import CoreMLRuntime
import Foundation
import TestSupport
import Testing

/// A program that violates a function's precondition ends with a message, in release builds too.
@Suite(.tags(.process)) struct PreconditionTests {
  @Test func theSentenceIsPrinted() async throws {
    let exit = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try PixelBuffer(width: 6, height: 4, pixelFormatType: kCVPixelFormatType_OneComponent8)
      _ = MLMultiArray(pixelBuffer: buffer, shape: [24])
    }
    let said = String(decoding: exit.standardErrorContent, as: UTF8.self)
    #expect(said.contains("Fatal error: ") && said.contains("[24]"), "\(said)")
  }

  /// In release builds Swift's own functions print no message here.
  @Test func theSentenceIsPrintedInReleaseBuilds() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "precondition-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = """
      let count = Int(CommandLine.argc)
      precondition(count > 0, "no arguments at all")
      if count > 1 { preconditionFailure("there are \\(count) arguments") }
      precondition(count > 1, "there is \\(count) argument")
      """
    try Data(program.utf8).write(to: folder.appending(path: "main.swift"))
    let source = Checkout.root.appending(path: "Sources/Runtime/Precondition.swift")
    let built = folder.appending(path: "program")
    let compiler = try run("/usr/bin/env", ["swiftc", "-O", "-o", built.path, "main.swift", source.path], in: folder)
    #expect(compiler.status == 0, "\(compiler.said)")
    for (arguments, sentence) in [([], "there is 1 argument"), (["one"], "there are 2 arguments")] {
      let ended = try run(built.path, arguments, in: folder)
      #expect(ended.status != 0 && ended.said.contains("Fatal error: \(sentence)"), "\(ended.said)")
    }
  }

  private func run(_ path: String, _ arguments: [String], in folder: URL) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: path)
    (process.arguments, process.currentDirectoryURL) = (arguments, folder)
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let pipe = Pipe()
    (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, pipe, pipe)
    try process.run()
    let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }
}
