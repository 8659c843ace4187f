import Foundation
import Testing

@testable import CoreMLDelivery

/// `runtime channel`, and processes that do the same at once.
@Suite(.serialized) struct ChannelCommandTests {
  let bench: ChannelBench
  let home: URL

  init() throws {
    bench = try ChannelBench()
    home = bench.folder.url.appending(path: "home", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    // The command goes by the machine's clock.
    bench.now = .now
  }

  private func run(_ words: String...) async throws -> ProgramRun {
    try await ProgramRun.begin(ProgramRun.folder.appending(path: "runtime"), ["channel"] + words, home: home).end()
  }

  private func follow() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let followed = try await run("follow", bench.publisher.host.absoluteString, "--root", root)
    #expect(followed.status == 0 && followed.json?["channel"] as? String == "shop:stable", "\(followed.errors)")
  }

  @Test func aChannelIsFollowedUpdatedAndLeft() async throws {
    #expect(try await run("status").status == 74)
    try await follow()
    try bench.publish(1)
    let check = try await run("check", "--json")
    #expect(check.status == 0 && check.json?["hasUpdates"] as? Bool == true, "\(check.errors)")
    let update = try await run("update", "--compute-units", "cpuOnly")
    #expect(update.status == 0, "\(update.errors)")
    #expect((update.json?["switches"] as? [[String: Any]])?.first?["to"] as? Int == 1)
    let input = try bench.folder.write(#"{"x": 1}"#, to: "x.json").path
    func predicted() async throws -> Double? {
      try await ProgramRun.runtime("predict", "shop:stable:m", "--input", input, "--json", home: home).json?["y"]
        as? Double
    }
    #expect(try await predicted() == 2)
    #expect(try await (run("update").json?["switches"] as? [Any])?.isEmpty == true)

    try bench.publish(2, golden: Samples.outputs(9, in: bench.folder))
    let failed = try await run("update")
    #expect(failed.status == 1 && failed.output.contains("delivery.fails-smoke-test"), "\(failed.errors)")
    #expect(try await predicted() == 2)
    let status = try await run("status")
    #expect(status.output.contains("install.fails-smoke-test") && status.output.contains("shop:stable:m"))
    #expect(try await run("allow", "m").status == 0)
    #expect(try await run("update").status == 1)

    #expect(try await run("rollback", "m", "--reason", "odd").status == 0)
    #expect(try await run("status").output.contains("asked.by-hand"))
    #expect(try await run("rollback", "m").status == 74)
    #expect(try await run("unfollow", "shop:stable").status == 0)
    #expect(try await run("check").status == 74)
  }

  @Test func sixteenProcessesUpdateAtOnce() async throws {
    try await follow()
    for version in 1...2 {
      try bench.publish(version)
      let runs = try (0..<16).map { _ in
        try ProgramRun.begin(
          ProgramRun.folder.appending(path: "runtime"), ["channel", "update", "--compute-units", "cpuOnly"], home: home)
      }
      for run in runs {
        let result = try await run.end()
        #expect(result.status == 0, "\(result.errors)")
      }
      let status = try await run("status", "--json")
      let models = status.json?["models"] as? [[String: Any]]
      #expect((models?.first?["current"] as? [String: Any])?["release"] as? Int == version)
    }
    #expect(try await ProgramRun.runtime("cache", "verify", home: home).status == 0)
    #expect(try await ProgramRun.runtime("cache", "prune", "--grace", "0", home: home).status == 0)
    let left = try FileManager.default.subpathsOfDirectory(atPath: home.path)
    #expect(left.filter { $0.contains(".staged-") || $0.contains(".fetch-") || $0.hasSuffix(".lease") } == [])
  }
}

/// The examples do what they say.
@Suite(.serialized) struct ExampleTests {
  @Test func fourWaysGiveTheSameAnswer() async throws {
    let home = try TemporaryFolder()
    let run = try await ProgramRun.begin(ProgramRun.folder.appending(path: "FourWays"), [], home: home.url).end()
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").dropFirst()
    #expect(lines.count == 4 && lines.allSatisfy { $0.hasSuffix("seven") }, "\(run.output)")
  }

  @Test func aBadReleaseIsLeftAndTheNextOneHeals() async throws {
    let home = try TemporaryFolder()
    let play = Samples.checkout.appending(path: "examples/OverTheAir/play")
    let run = try await ProgramRun.begin(
      URL(filePath: "/bin/bash"), [play.path, ProgramRun.folder.path], home: home.url
    ).end()
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.components(separatedBy: "health.prediction-failures").count >= 3)
  }
}
