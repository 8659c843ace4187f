import Foundation
import TestSupport
import Testing

/// A short version of `tools/check-delivery`: some kills and failures in every scenario, with 8 concurrent processes,
/// with and without locks.
@Suite(.tags(.process), .serialized) struct FaultTests {
  @Test func theLastGoodModelSurvivesAndNothingIsOrphaned() async throws {
    let folder = try TemporaryFolder()
    let run = try await ProgramRun.begin(
      URL(filePath: "/usr/bin/python3"),
      [
        Samples.checkout.appending(path: "tools/check-delivery").path, "--runtime",
        ProgramRun.folder.appending(path: "runtime").path, "--quick", "--actions", "kill,full", "--every", "47",
        "--processes", "8",
      ], home: folder.url
    ).end()
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    let report = try #require(run.json)
    #expect(report["kills"] as? Int ?? 0 >= 10)
    #expect(report["sites"] as? Int ?? 0 >= 50)
  }
}
