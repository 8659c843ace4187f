import Foundation
import Testing

/// The short form of `tools/check-delivery`: some kills and failures of every scenario, 16 processes at once, with and without locks.
@Suite(.serialized) struct FaultTests {
  @Test func theLastGoodModelSurvivesAndNothingIsOrphaned() throws {
    let runtime = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "runtime")
    let folder = try TemporaryFolder()
    let output = try folder.write("", to: "report.json")
    let complaints = try folder.write("", to: "complaints")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [
      Samples.checkout.appending(path: "tools/check-delivery").path, "--runtime", runtime.path, "--quick", "--actions",
      "kill,full", "--every", "23",
    ]
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.url.path, "TMPDIR": folder.url.path]
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: complaints)
    try process.run()
    process.waitUntilExit()
    let told = try folder.read("complaints") + folder.read("report.json")
    #expect(process.terminationStatus == 0, "\(told)")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(try folder.read("report.json").utf8)) as? [String: Any])
    #expect(report["kills"] as? Int ?? 0 >= 10)
    #expect(report["sites"] as? Int ?? 0 >= 50)
  }
}
