import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// The state of a publisher's folder: drafts, pending and published manifests.
@Suite(.tags(.process)) struct PublishStatusTests {
  private let folder: TemporaryFolder
  private let keys: [SigningKey]

  init() throws {
    folder = try TemporaryFolder()
    keys = try (1...2).map { try Fixture.key($0) }
  }

  private func publisher(at now: Timestamp = Fixture.now, threshold: Int = 1) throws -> Publisher {
    let url = folder.url.appending(path: "shop", directoryHint: .isDirectory)
    if FileManager.default.fileExists(atPath: url.path) { return try Publisher(folder: url, now: now) }
    return try Publisher.create(at: url, settings: .init(repository: "shop"), keys: keys, threshold, now)
  }

  private func add(_ publisher: Publisher, _ version: String) throws {
    let body = Fixture.weights(2_000, seed: UInt64(version.count))
    let source = try folder.write(
      SmallModel.bytes(offset: Double(version.count), payload: body), to: "m-\(version).mlmodel")
    _ = try publisher.add(.init(model: "m", version: version, source: source), to: "stable")
  }

  @Test func changesSayWhatSigningPublishes() throws {
    let publisher = try publisher()
    try add(publisher, "1.0")
    let first = try publisher.state("stable")
    #expect(first.published == nil && first.pending == nil)
    #expect(first.changes.map(\.sentence) == ["model + m", "m, release 1: release + 1.0, staged at 0.0 %"])
    #expect(try publisher.sign("stable", with: Array(keys.prefix(1))).isPublished)
    #expect(try publisher.state("stable").changes.isEmpty)
    try publisher.stage("m", percentage: 10, in: "stable")
    try add(publisher, "1.10")
    try publisher.kill("m", reason: "odd", in: "stable")
    let sentences = try publisher.state("stable").changes.map(\.sentence)
    #expect(
      sentences == [
        "m: kill switch + odd", "m, release 1: state staged -> active", "m, release 1: percentage 0.0 -> 10.0",
        "m, release 2: release + 1.10, staged at 0.0 %",
      ], "\(sentences)")
    _ = try publisher.rollBack("m", 1, reason: "wrong", in: "stable")
    let blocked = try publisher.state("stable").changes.filter { $0.what.hasPrefix("blocked") }
    #expect(blocked.map(\.after) == ["wrong"] && blocked.first?.before == nil)
    #expect(throws: DeliveryError.self) { try publisher.state("beta") }
  }

  @Test func whatWaitsForSignaturesIsTold() throws {
    let publisher = try publisher(threshold: 2)
    try add(publisher, "1.0")
    #expect(try !publisher.sign("stable", with: Array(keys.prefix(1))).isPublished)
    let state = try publisher.state("stable")
    #expect(state.pending?.version == 1 && state.pending?.signatures == 1 && state.published == nil)
    #expect(try publisher.sign("stable", with: keys).isPublished)
    #expect(try publisher.state("stable").published?.version == 1)
  }

  private func command(_ words: String..., time: String? = nil) async throws -> ProgramRun {
    let moment = time.map { ["--time", $0] } ?? ["--time", Fixture.now.description]
    return try await ProgramRun.begin(
      ProgramRun.folder.appending(path: "runtime"), ["publish"] + words + moment, home: folder.url
    ).end()
  }

  @Test func theCommandTellsIt() async throws {
    let shop = folder.url.appending(path: "shop").path
    do {
      let publisher = try publisher()
      try add(publisher, "1.0")
      _ = try publisher.sign("stable", with: Array(keys.prefix(1)))
      try publisher.stage("m", percentage: 10, in: "stable")
    }
    let list = try await command("list", shop)
    let row = try #require((try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])?.first)
    #expect(
      row["model"] as? String == "m" && row["percentage"] as? Double == 10 && row["isPublished"] as? Bool == false)
    let status = try await command("status", shop)
    let channel = try #require((status.json?["channels"] as? [[String: Any]])?.first)
    #expect(status.status == 0 && channel["version"] as? Int == 1 && channel["changes"] as? Int == 2)
    #expect(channel["hasExpired"] as? Bool == false)
    let late = try await command("status", shop, time: Fixture.now.advanced(by: 40 * 86_400).description)
    #expect(late.status == 1 && late.output.contains("\"hasExpired\":true"), "\(late.output)")
    let diff = try await command("diff", shop, "--channel", "stable")
    #expect(diff.status == 1 && diff.output.contains("percentage"), "\(diff.errors)")
    _ = try publisher().sign("stable", with: Array(keys.prefix(1)))
    #expect(try await command("diff", shop).status == 0)
    #expect(try await command("list", shop, "--channel", "beta").status == 64)
  }
}
