import Foundation
import Testing

/// How the plugin finds the command. The source is linked from the plugin.
@Suite struct RuntimeToolTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")
    for path in ["folder/runtime", "plain", "good", "links"] {
      try FileManager.default.createDirectory(at: folder.appending(path: path), withIntermediateDirectories: true)
    }
    try Data("text".utf8).write(to: folder.appending(path: "plain/runtime"))
    try Data("#!/bin/sh\n".utf8).write(to: folder.appending(path: "good/runtime"))
    #expect(chmod(path("good/runtime"), 0o755) == 0 && chmod(path("plain/runtime"), 0o644) == 0)
    #expect(symlink(path("good/runtime"), path("links/runtime")) == 0)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func found(_ environment: [String: String]) throws -> String {
    defer { try? FileManager.default.removeItem(at: folder) }
    return try RuntimeTool.find(environment, checkout: folder.appending(path: "absent")).path
  }

  @Test func foldersAndOtherFilesInThePathArePassedOver() throws {
    let path = "\(path("folder")):\(path("plain")):\(path("links"))"
    #expect(try found(["PATH": path]) == self.path("links/runtime"))
  }

  /// The relative path leads from the test's working directory to the command.
  @Test(arguments: ["PATH", "COREML_RUNTIME"]) func relativePathsAreNone(variable: String) throws {
    let up = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in ".." }.joined(separator: "/")
    let word = up + path(variable == "PATH" ? "good" : "good/runtime")
    #expect(FileManager.default.fileExists(atPath: word))
    let error = #expect(throws: PluginFailure.self) { try found([variable: word]) }
    #expect(error?.description.contains(variable == "PATH" ? "is not found" : "absolute path") == true)
  }

  @Test(arguments: ["folder/runtime", "plain/runtime", "absent"]) func whatIsNoCommandIsRefused(name: String) throws {
    let error = #expect(throws: PluginFailure.self) { try found(["COREML_RUNTIME": path(name)]) }
    #expect(error?.description.contains(name) == true)
  }

  @Test func theCommandThatIsNamedIsTaken() throws {
    #expect(try found(["COREML_RUNTIME": path("good/runtime"), "PATH": ""]) == path("good/runtime"))
  }
}
