import Foundation
import Testing

/// The committed Objective-C, checked by the compiler that Swift brings along: with a few declarations in place of Apple's frameworks.
@Suite struct ObjectiveCTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Cases/generate/objc")

  @Test(arguments: ["Digits", "kinds", "running_sum", "functions", "names"])
  func itCompilesWithoutAWarning(name: String) throws {
    let log = FileManager.default.temporaryDirectory.appending(path: "objc-\(UUID().uuidString)")
    try Data().write(to: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      [
        "clang", "-fsyntax-only", "-x", "objective-c", "-fobjc-arc", "-fblocks", "-fobjc-runtime=macosx-12.0",
        "-std=gnu99",
        "-trigraphs", "-Wall", "-Werror", "-Wno-objc-missing-super-calls", "-I",
        Self.folder.appending(path: "stubs").path,
        Self.folder.appending(path: "\(name).m").path,
      ]
    compiler.standardError = try FileHandle(forWritingTo: log)
    try compiler.run()
    compiler.waitUntilExit()
    #expect(compiler.terminationStatus == 0, "\((try? String(contentsOf: log, encoding: .utf8)) ?? "")")
  }
}
