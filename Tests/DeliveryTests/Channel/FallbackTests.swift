import CoreMLRuntime
import Foundation
import Synchronization
import Testing

@testable import CoreMLDelivery

/// A device without baselines always keeps a model.
@Suite struct FallbackTests {
  let bench: ChannelBench

  init() throws { bench = try ChannelBench() }

  private func channel(_ change: (inout ChannelOptions) -> Void = { _ in }) throws -> ModelChannel {
    try bench.channel { options in
      options.baselines = [:]
      change(&options)
    }
  }

  private func update(to version: Int, _ channel: ModelChannel, as name: String = "m") async throws {
    try bench.publish(version, as: name)
    try await channel.update()
  }

  /// Returns the release in use, and checks that the status reports it as present.
  private func current(_ channel: ModelChannel, _ name: String = "m") throws -> Int? {
    let status = try #require(try channel.status().models.first { $0.model == name })
    #expect(status.isPresent == (status.current != nil) && !status.hasBaseline)
    return status.current?.release
  }

  @Test func aPersonGoesBackToTheNewestThatIsHere() async throws {
    let channel = try channel()
    for version in 1...3 { try await update(to: version, channel) }
    let model = try channel.model("m")
    #expect(try model.one() == 4)
    try await channel.rollBack("m")
    #expect(try model.one() == 3 && current(channel) == 2)
    try await channel.rollBack("m")
    #expect(try model.one() == 2 && current(channel) == 1)
    let error = await #expect(throws: DeliveryError.self) { try await channel.rollBack("m") }
    #expect(error?.code == .noEarlierVersion && error?.message.contains("stays at release 1") == true, "\(error!)")
    #expect(try model.one() == 2 && current(channel) == 1)
    // The next check does not remove the model, either.
    try await channel.update()
    #expect(try self.channel().model("m").one() == 2)
  }

  @Test func aBadReleaseGivesWayToOneThatIsNotProven() async throws {
    let channel = try channel()
    for version in 1...2 { try await update(to: version, channel) }
    let model = try channel.model("m")
    for _ in 0..<5 { model.reportFailure() }
    #expect(try model.one() == 2 && current(channel) == 1)
  }

  @Test func theOnlyModelStaysHoweverBadItIs() async throws {
    let channel = try channel()
    try await update(to: 1, channel)
    let told = Mutex<[String]>([])
    let events = channel.events()
    let listener = Task { for await event in events { told.withLock { $0.append(event.reason ?? "") } } }
    defer { listener.cancel() }
    let model = try channel.model("m")
    for _ in 0..<20 { model.reportFailure() }
    #expect(try model.one() == 2)
    let status = try #require(try channel.status().models.first)
    #expect(status.fault == .predictionFailures && status.blocked.isEmpty && status.current?.release == 1)
    for _ in 0..<500 where told.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
    #expect(told.withLock { $0.filter { $0 == "delivery.no-earlier-version" } }.count == 1)
    // A later release replaces it, and the faults of the earlier one do not count against the later one.
    try await update(to: 2, channel)
    #expect(try model.one() == 3)
    #expect(try channel.status().models.first?.fault == nil)
  }

  @Test func processesThatDieDoNotTakeTheOnlyModelAway() async throws {
    let channel = try channel()
    try await update(to: 1, channel)
    let book = channel.core.files.health(of: "m")
    let tree = try #require(channel.core.records.installedState()["m"].current?.tree)
    let gone = PartialOwner(
      host: PartialOwner.current.host, boot: PartialOwner.current.boot, process: 1, start: "never")
    var record = HealthRecord()
    record.running = 1
    try FileManager.default.createDirectory(at: book.folder(of: tree), withIntermediateDirectories: true)
    for number in 0..<3 {
      try Data(record.bytes).write(to: book.folder(of: tree).appending(path: "\(gone.token)~\(number).health"))
    }
    #expect(try self.channel().model("m").one() == 2)
    #expect(try channel.status().models.first?.fault == .crashLoop)
  }

  @Test func modelsThatSwitchTogetherKeepOneState() async throws {
    let channel = try channel()
    for version in 1...2 {
      bench.now = bench.now.advanced(by: 60)
      for name in ["encoder", "decoder"] { try bench.add(version, as: name) }
      try bench.shop.collect(["encoder", "decoder"], as: "speech", in: "stable")
      try bench.sign()
      try await channel.update()
    }
    let models = try ["encoder", "decoder"].map { try channel.model($0) }
    for _ in 0..<5 { models[0].reportFailure() }
    await channel.refresh()
    #expect(try models.map { try $0.one() } == [2, 2])
    for _ in 0..<5 { models[1].reportFailure() }
    await channel.refresh()
    #expect(try models.map { try $0.one() } == [2, 2])
    #expect(await Fixture.code { try await channel.rollBack("decoder") } == .noEarlierVersion)
    #expect(try ["encoder", "decoder"].map { try current(channel, $0) } == [1, 1])
  }

  @Test func aWithdrawnReleaseGivesWayAndAKillSwitchLeavesNothing() async throws {
    let channel = try channel()
    for version in 1...2 { try await update(to: version, channel) }
    _ = try bench.shop.rollBack("m", 2, reason: "wrong", in: "stable")
    try bench.sign()
    _ = try await channel.check()
    #expect(try current(channel) == 1)
    try bench.shop.kill("m", reason: "a lawsuit", in: "stable")
    try bench.sign()
    _ = try await channel.check()
    #expect(try current(channel) == nil)
    #expect(throws: DeliveryError.self) { try channel.model("m") }
  }

  /// A forced release that cannot run on this device does not remove the current one.
  @Test func aForcedReleaseForOthersTakesNothingAway() async throws {
    let channel = try channel()
    try await update(to: 1, channel)
    var addition = Publisher.Addition(
      model: "m", version: "2.0", source: try Samples.small(2, in: bench.folder))
    (addition.isTried, addition.requirements) = (false, Requirements(architectures: ["riscv64"]))
    _ = try bench.shop.add(addition, to: "stable")
    try bench.shop.stage("m", percentage: 100, in: "stable")
    try bench.shop.force("m", 2, in: "stable")
    try bench.sign()
    let update = try await channel.update()
    #expect(update.switches.isEmpty && update.failures.isEmpty)
    #expect(try current(channel) == 1)
    // If a baseline exists, it is used, as the publisher's order demands.
    let other = try bench.channel("b")
    try await other.update()
    #expect(try other.model("m").version == .baseline)
  }
}
