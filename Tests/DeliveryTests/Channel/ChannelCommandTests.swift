import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// Tests of `runtime channel`, also with concurrent processes.
@Suite(.tags(.process), .serialized) struct ChannelCommandTests {
  let bench: ChannelBench
  let home: URL

  init() throws {
    bench = try ChannelBench()
    home = bench.folder.url.appending(path: "home", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    // The command uses the system clock, or the date of the root if that is later.
    bench.now = max(.now, Fixture.now)
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

    // There is no other model to return to.
    let refused = try await run("rollback", "m", "--reason", "odd")
    #expect(refused.status == 74 && refused.errors.contains("stays at release 1"), "\(refused.errors)")
    #expect(try await predicted() == 2)
    try bench.publish(3)
    #expect(try await run("update").status == 0)
    #expect(try await predicted() == 4)
    #expect(try await run("rollback", "shop:stable:m", "--reason", "odd").status == 0)
    #expect(try await run("status").output.contains("asked.by-hand"))
    #expect(try await predicted() == 2)
    #expect(try await run("unfollow", "shop:stable").status == 0)
    #expect(try await run("check").status == 74)
  }

  /// The command reports what it waits for, one line at a time, also without a terminal.
  @Test func waitingSaysForWhat() async throws {
    func run(_ words: String..., home: URL) async throws -> [Substring] {
      let ended = try await ProgramRun.begin(
        ProgramRun.folder.appending(path: "runtime"), ["channel"] + words, home: home,
        environment: ["COREML_PROGRESS_SECONDS": "0.02"]
      ).end()
      #expect(!ended.errors.contains("\u{1B}"))
      let lines = ended.errors.split(separator: "\n")
      #expect(lines.allSatisfy { $0.hasPrefix("runtime: ") }, "\(ended.errors)")
      return lines
    }
    try await follow()
    try bench.publish(1, golden: Samples.outputs(2, in: bench.folder))
    let lines = try await run("update", "--compute-units", "cpuOnly", home: home)
    #expect(lines.contains { $0.hasPrefix("runtime: Trying m, release 1: ") }, "\(lines)")
    // A host that never responds.
    let server = try await FaultServer { _ in [] }
    let silent = bench.folder.url.appending(path: "silent", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: silent, withIntermediateDirectories: true)
    let root = bench.publisher.host.appending(path: "root/1.json").path
    #expect(
      try await ProgramRun.runtime("channel", "follow", server.url("/"), "--root", root, home: silent).status == 0)
    for verb in ["check", "update"] {
      let lines = try await run(verb, "--attempts", "1", "--fetch-timeout", "1", home: silent)
      #expect(lines.contains { $0.hasPrefix("runtime: Asking 127.0.0.1: ") }, "\(lines)")
    }
  }

  @Test func howLongDocumentsAreBelievedIsKeptWithTheChannel() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let host = bench.publisher.host.absoluteString
    let wrong = try await run("follow", host, "--root", root, "--grace", "-1")
    #expect(wrong.status == 64 && wrong.errors.contains("--grace"), "\(wrong.errors)")
    let strict = ["--grace", "0", "--statement-grace", "0.5", "--manifest-lifetime", "10"]
    let program = ProgramRun.folder.appending(path: "runtime")
    let followed = try await ProgramRun.begin(
      program, ["channel", "follow", host, "--root", root] + strict, home: home
    ).end()
    #expect(followed.status == 0, "\(followed.errors)")
    let record = home.appending(path: ".local/state/coreml/channels/shop/stable/followed.json")
    let channel = try JSONDecoder().decode(FollowedChannel.self, from: Data(contentsOf: record))
    #expect(
      channel.freshness == FreshnessPolicy(grace: 0, manifestLifetime: 10 * 86_400, statementGrace: 43_200))
  }

  private func model(_ channel: String? = nil) async throws -> [String: Any] {
    let status = try await ProgramRun.begin(
      ProgramRun.folder.appending(path: "runtime"), ["channel", "status"] + (channel.map { ["--channel", $0] } ?? []),
      home: home
    ).end()
    return try #require((status.json?["models"] as? [[String: Any]])?.first, "\(status.errors)")
  }

  private func predict(_ model: String, _ input: String, _ more: String...) async throws -> ProgramRun {
    try await ProgramRun.begin(
      ProgramRun.folder.appending(path: "runtime"),
      ["predict", model, "--input", input, "--json", "--compute-units", "cpuOnly"] + more, home: home
    ).end()
  }

  @Test func whatTheCommandPredictsIsCounted() async throws {
    try await follow()
    try bench.publish(1)
    #expect(try await run("update").status == 0)
    let input = try bench.folder.write(#"{"x": 1}"#, to: "x.json").path
    for _ in 1...3 { #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == 2) }
    let status = try await model()
    #expect(
      status["loads"] as? Int == 3 && status["predictions"] as? Int == 3 && status["predictionFailures"] as? Int == 0)
    // An invalid input by the user does not count against the model.
    let wrong = try bench.folder.write(#"{"x": "one"}"#, to: "wrong.json").path
    #expect(try await predict("shop:stable:m", wrong).status == 65)
    let rows = try bench.folder.write(String(repeating: "{\"x\": 1}\n", count: 40), to: "rows.jsonl").path
    let batch = try await ProgramRun.runtime(
      "predict", "shop:stable:m", "--batch", rows, "--batch-size", "8", "--compute-units", "cpuOnly", home: home)
    #expect(batch.status == 0, "\(batch.errors)")
    let after = try await model()
    #expect(after["predictions"] as? Int == 43 && after["predictionFailures"] as? Int == 0, "\(after)")
    // Three crashes would cause a rollback. There is no earlier model, so this one stays.
    let book = ChannelFiles(
      try DeliveryDirectories(environment: ["HOME": home.path]), repository: "shop", channel: "stable"
    ).health(of: "m")
    let tree = try #require((after["current"] as? [String: Any])?["tree"] as? String)
    let gone = PartialOwner(
      host: PartialOwner.current.host, boot: PartialOwner.current.boot, process: 1, start: "never")
    var record = HealthRecord()
    record.running = 1
    for number in 0..<3 {
      try Data(record.bytes).write(to: book.folder(of: tree).appending(path: "\(gone.token)~\(number).health"))
    }
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == 2)
    #expect(try await model()["fault"] as? String == "health.crash-loop")
  }

  @Test func whatIsNotThereIsRefusedAndTheModelStays() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let host = bench.publisher.host.absoluteString
    #expect(try await run("follow", host, "--root", root, "--model", "m").status == 0)
    try bench.publish(1)
    #expect(try await run("update").status == 0)
    for number in ["99", "9223372036854775807"] {
      let update = try await run("update", "--release", number)
      #expect(update.status == 65 && update.errors.contains("no release \(number) of 'm'"), "\(update.errors)")
    }
    let input = try bench.folder.write(#"{"x": 1}"#, to: "x.json").path
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == 2)
    let allowed = try await run("allow", "NoSuchModel")
    #expect(allowed.status == 74 && allowed.errors.contains("no model 'NoSuchModel'"), "\(allowed.errors)")
    #expect(try await run("allow", "shop:stable:m").json?["allowed"] as? Int == 0)
    #expect(try await run("allow", "shop:other:m").status == 74)
    #expect(try await run("rollback", "shop:stable:m", "--channel", "stable").errors.contains("stays at release 1"))
    // A model that the channel does not have is reported by every update.
    #expect(try await run("follow", host, "--root", root, "--model", "Typo").status == 0)
    let typo = try await run("update")
    #expect(typo.status == 1 && typo.output.contains("no model 'Typo'"), "\(typo.errors)")
    let check = try await run("check")
    #expect(check.status == 0 && check.errors.contains("no model 'Typo'"), "\(check.errors)")
    let status = try await run("status")
    #expect(status.output.contains("\"hasBaseline\":false"), "\(status.output)")
  }

  @Test func aReleaseIsAskedOfOneModelOrOfAllThatAreFollowedByName() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let host = bench.publisher.host.absoluteString
    #expect(try await run("follow", host, "--root", root).status == 0)
    for number in [1, 2] { try bench.publish(number) }
    let all = try await run("update", "--release", "1")
    #expect(all.status == 64 && all.errors.contains("expected MODEL=1"), "\(all.errors)")
    let input = try bench.folder.write(#"{"x": 1}"#, to: "x.json").path
    #expect(try await run("update", "--release", "m=1").status == 0)
    let first = try await predict("shop:stable:m", input).json?["y"] as? Double
    let unknown = try await run("update", "--release", "other=1", "--release", "m=2")
    #expect(unknown.status == 65 && unknown.errors.contains("no model 'other'"), "\(unknown.errors)")
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == first)
    #expect(try await run("follow", host, "--root", root, "--model", "m").status == 0)
    // A release requested for one model overrides a release requested for all models.
    #expect(try await run("update", "--release", "m=2", "--release", "1").status == 0)
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double != first)
    for word in ["m=", "=1", "m=one", "1.5"] { #expect(try await run("update", "--release", word).status == 64) }
  }

  @Test func aBaselineOfAModelThatIsNotFollowedIsRefused() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let wrong = try await run(
      "follow", bench.publisher.host.absoluteString, "--root", root, "--model", "m", "--baseline",
      "n=\(Samples.small(0, in: bench.folder).path)")
    #expect(wrong.status == 64 && wrong.errors.contains("--baseline n"), "\(wrong.errors)")
  }

  /// A block for an incompatible interface ends when the baseline changes.
  @Test func aBlockForTheInterfaceEndsWithTheBaseline() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    func follow(_ baseline: URL) async throws -> Int32 {
      try await run(
        "follow", bench.publisher.host.absoluteString, "--root", root, "--baseline", "m=\(baseline.path)"
      ).status
    }
    let other = try bench.folder.write(SmallModel.bytes(offset: 1, input: "z"), to: "z.mlmodel")
    try bench.publish(1)
    #expect(try await follow(other) == 0)
    let left = try await run("update")
    #expect(left.status == 1 && left.output.contains("other-interface"), "\(left.output) \(left.errors)")
    #expect(try await follow(Samples.small(0, in: bench.folder)) == 0)
    #expect(try await run("update").status == 0)
    let input = try bench.folder.write(#"{"x": 1}"#, to: "x.json").path
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == 2)
  }

  /// `follow` rejects a host that `update` would reject. The previous host stays.
  @Test func aHostThatWillBeRefusedIsNotFollowed() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let host = bench.publisher.host.absoluteString
    try await follow()
    let record = home.appending(path: ".local/state/coreml/channels/shop/stable/followed.json")
    let before = try Data(contentsOf: record)
    for (url, word) in [
      ("http://models.example.org", "expected https"), ("https://", "with a host"), ("http:///a", "with a host"),
      ("ftp://models.example.org", "file, http or https"), ("file://other/srv", "of this machine"),
    ] {
      let refused = try await run("follow", url, "--root", root)
      #expect(refused.status == 64 && refused.errors.contains(word), "\(url): \(refused.errors)")
    }
    for file in ["/dev/zero", bench.folder.url.path] {
      let refused = try await run("follow", host, "--root", file)
      #expect(refused.status == 74 && refused.errors.contains("trust root"), "\(file): \(refused.errors)")
    }
    let pipe = bench.folder.url.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(try await run("follow", host, "--root", pipe).status == 74)
    #expect(try Data(contentsOf: record) == before)
    // A valid host replaces the previous one, which is reported.
    let other = try await run("follow", "http://models.example.org", "--allow-http", "--root", root)
    #expect(other.status == 0 && other.errors.contains("was followed at file://"), "\(other.errors)")
    #expect((other.json?["replaced"] as? [String])?.count == 1)
    #expect(try await run("follow", "https://models.example.org", "--root", root).status == 0)
    let same = try await run("follow", "https://models.example.org", "--root", root)
    #expect(same.errors.isEmpty && same.json?["replaced"] == nil, "\(same.errors)")
  }

  @Test func theBaselineAnswersToTheCommandToo() async throws {
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let words = ["follow", bench.publisher.host.absoluteString, "--root", root, "--baseline"]
    func follow(_ baseline: String) async throws -> ProgramRun {
      try await ProgramRun.begin(
        ProgramRun.folder.appending(path: "runtime"), ["channel"] + words + [baseline], home: home
      ).end()
    }
    #expect(try await follow("m=\(bench.folder.url.path)/nofile.mlpackage").status == 74)
    let text = try bench.folder.write("no model", to: "text.mlmodel").path
    #expect(try await follow("m=\(text)").status == 65)
    #expect(try await run("status").status == 74, "nothing is followed")
    #expect(try await follow("m=\(Samples.small(0, in: bench.folder).path)").status == 0)
    let input = try bench.folder.write(#"{"x": 1}"#, to: "x.json").path
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == 1)
    #expect(try await ProgramRun.runtime("inspect", "shop:stable:m", home: home).status == 0)
    #expect(try await predict("shop:stable:n", input).status == 74)
    try bench.publish(1)
    #expect(try await run("update").status == 0)
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == 2)
    #expect(try await run("rollback", "m").status == 0)
    #expect(try await predict("shop:stable:m", input).json?["y"] as? Double == 1)
    let unknown = try await run("rollback", "Nope")
    #expect(unknown.status == 74 && unknown.errors.contains("no model 'Nope'"), "\(unknown.errors)")
  }

  @Test func allFollowedChannelsAreListed() async throws {
    try await follow()
    try bench.shop.addChannel("beta")
    let root = bench.publisher.host.appending(path: "root/1.json").path
    #expect(
      try await run("follow", bench.publisher.host.absoluteString, "--root", root, "--channel", "beta").status == 0)
    let all = try await ProgramRun.runtime("channel", home: home)
    #expect(all.status == 0, "\(all.errors)")
    let listed = try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]]
    #expect(listed?.compactMap { $0["channel"] as? String } == ["beta", "stable"])
    let one = try await run("status", "--channel", "beta")
    #expect(one.json?["channel"] as? String == "beta")
    #expect(one.json?["trials"] as? String == "in processes of this program")
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

/// The examples work as documented.
@Suite(.tags(.process), .serialized) struct ExampleTests {
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
