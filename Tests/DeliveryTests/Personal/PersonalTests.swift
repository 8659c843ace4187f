import CoreMLRuntime
import Foundation
import Synchronization
import Testing

@testable import CoreMLDelivery

/// Models trained on a device, and what happens when their base models change.
@Suite struct PersonalTests {
  let bench: ChannelBench
  private struct Unwilling: Error {}

  init() throws { bench = try ChannelBench() }

  /// A device with release 1 and a model personalised from it.
  private func pupil(_ policy: RebasePolicy? = nil) async throws -> (channel: ModelChannel, model: ManagedModel) {
    let channel = try open(policy)
    try publish(1)
    try await channel.update()
    let model = try channel.model("m")
    #expect(try model.knowledge == ["base 1", "base 1"])
    try await channel.personalize("m", Pupil.learn)
    #expect(try model.knowledge == ["base 1", "mine"])
    return (channel, model)
  }

  private func open(_ policy: RebasePolicy? = nil) throws -> ModelChannel {
    try bench.channel { options in
      options.baselines = ["m": try Pupil.source(0, in: bench.folder)]
      options.rebase["m"] = policy
    }
  }

  @discardableResult private func publish(_ version: Int) throws -> Variant {
    let variant = try bench.add(version, source: Pupil.source(version, in: bench.folder))
    try bench.sign()
    return variant
  }

  /// Makes enough successful predictions to prove a model.
  private func prove(_ model: ManagedModel) throws { for _ in 0..<16 { _ = try model.label(0) } }

  private func prune(_ channel: ModelChannel) throws {
    var policy = PrunePolicy()
    (policy.keepsPrevious, policy.grace) = (0, .zero)
    _ = try channel.core.store.prune(policy, channel.core.cache)
  }

  @Test func whatADeviceLearnsStaysItsOwn() async throws {
    let (channel, _) = try await pupil()
    let personal = try #require(try channel.personalModel("m"))
    let stored = try channel.core.store.model(personal.tree)
    #expect(stored.origin == .personal && personal.release == 1)
    #expect(try !BackupExclusion.isExcluded(stored.url.deletingLastPathComponent()))
    #expect(try !BackupExclusion.isExcluded(channel.core.store.personalRecords.folder))
    #expect(try channel.status().models.first?.personal == personal)
    // A newly started process uses it at once.
    #expect(try open().model("m").version == .personal(personal))
    // A training continues from the personalised model, or begins with the base.
    let again = try await channel.personalize("m", continuing: false) { start, target in
      #expect(try MLModel(contentsOf: start).modelDescription.isUpdatable)
      try await Pupil.learn(start, target)
    }
    #expect(again.tree == personal.tree, "the same lessons on the same base")
    try prune(channel)
    #expect(try open().model("m").knowledge == ["base 1", "mine"])
    try await channel.forgetPersonalModel("m")
    #expect(try channel.model("m").knowledge == ["base 1", "base 1"])
    #expect(await Fixture.code { try await channel.forgetPersonalModel("m") } == .notPersonalised)
    #expect(try !channel.core.store.digests().contains(personal.tree))
  }

  @Test func aKeptModelOutlivesItsBase() async throws {
    let (channel, model) = try await pupil()
    let two = try publish(2)
    try await channel.update()
    #expect(try channel.status().models.first?.current?.tree == two.tree)
    #expect(try model.knowledge == ["base 1", "mine"])
    try prune(channel)
    #expect(try open().model("m").knowledge == ["base 1", "mine"])
    #expect(try channel.personalModel("m")?.release == 1)
  }

  @Test func aModelIsTrainedAnewOnItsNewBase() async throws {
    let during = Mutex<[String?]>([])
    let slow: Personalisation = { [bench] start, target in
      // The old model is in use until the new one is complete.
      let model = try bench.channel { $0.baselines = ["m": try Pupil.source(0, in: bench.folder)] }.model("m")
      let known = try model.knowledge
      during.withLock { $0 = known }
      try await Pupil.learn(start, target)
    }
    let (channel, model) = try await pupil(.retrain(slow))
    let before = try #require(try channel.personalModel("m"))
    let events = channel.events()
    let two = try publish(2)
    try await channel.update()
    #expect(during.withLock { $0 } == ["base 1", "mine"])
    #expect(try model.knowledge == ["base 2", "mine"])
    let after = try #require(try channel.personalModel("m"))
    #expect(after.base == two.tree && after.release == 2)
    for await event in events {
      if case .personalised(let name, let release) = event {
        #expect(name == "m" && release == 2 && event.code == "channel.personalised")
        break
      }
    }
    // Until the new model is proven, the previous one may return.
    try prune(channel)
    #expect(try channel.core.store.digests().contains(before.tree))
    try prove(model)
    try prune(channel)
    #expect(try !channel.core.store.digests().contains(before.tree))
    // The model is not retrained again.
    during.withLock { $0 = [] }
    try await channel.update()
    #expect(during.withLock { $0.isEmpty })
  }

  @Test func aTrainingThatFailsLeavesTheOldModel() async throws {
    let begun = Mutex(0)
    let (channel, model) = try await pupil(
      .retrain { _, target in
        begun.withLock { $0 += 1 }
        // An incomplete model.
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: target.appending(path: "coremldata.bin"))
        if begun.withLock({ $0 }) > 1 { throw Unwilling() }
      })
    let events = channel.events()
    try publish(2)
    for _ in 0..<5 {
      let update = try await channel.update()
      #expect(update.failures.isEmpty)
      #expect(try model.knowledge == ["base 1", "mine"])
    }
    // The number of attempts is limited.
    #expect(begun.withLock { $0 } == PersonalModels.attempts)
    var reasons: [String] = []
    for await event in events {
      guard case .failed(_, let reason, let message) = event else { continue }
      #expect(message.contains("release 2"))
      reasons.append(reason.rawValue)
      if reasons.count == PersonalModels.attempts { break }
    }
    #expect(Set(reasons) == ["delivery.retraining-failed"])
    #expect(channel.core.store.orphans(channel.core.cache).isEmpty)
    // Another base resets the attempts.
    try publish(3)
    try await channel.update()
    #expect(begun.withLock { $0 } == PersonalModels.attempts + 1)
  }

  @Test func aCancelledTrainingIsBegunAgain() async throws {
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let begun = Mutex(0)
    let (channel, model) = try await pupil(
      .retrain { base, target in
        let number = begun.withLock {
          $0 += 1
          return $0
        }
        start.yield()
        if number <= PersonalModels.attempts { try await Task.sleep(for: .seconds(600)) }
        try await Pupil.learn(base, target)
      })
    try publish(2)
    var waiting = starts.makeAsyncIterator()
    for _ in 0..<PersonalModels.attempts {
      let update = Task { try await channel.update() }
      await waiting.next()
      update.cancel()
      await #expect(throws: CancellationError.self) { try await update.value }
      #expect(try model.knowledge == ["base 1", "mine"])
    }
    try await channel.update()
    #expect(try model.knowledge == ["base 2", "mine"])
  }

  /// Runs the bench's device at a path in another process that is killed during its training, either before the model
  /// is written or after.
  private static func dieTraining(_ root: String, when isWritten: Bool) async throws {
    let host = URL(filePath: "\(root)/shop/public", directoryHint: .isDirectory)
    let home = "\(root)/device-a"
    let places = try DeliveryDirectories(environment: [
      "XDG_DATA_HOME": "\(home)/data", "XDG_CACHE_HOME": "\(home)/cache", "XDG_STATE_HOME": "\(home)/state",
    ])
    var options = ChannelOptions(
      channel: "stable", hosts: [host], root: try SignedEnvelope(Data(contentsOf: host.appending(path: "root/1.json"))),
      places: places, runtimeVersion: "1.4.0")
    options.device = Fixture.device
    options.device?.specificationVersion = 9
    options.now = { Fixture.now }
    options.rebase["m"] = .retrain { start, target in
      if isWritten { try await Pupil.learn(start, target) }
      kill(getpid(), SIGKILL)
    }
    try await ModelChannel(options).update()
  }

  @Test func aTrainingThatIsKilledLeavesTheOldModel() async throws {
    let (channel, model) = try await pupil(.retrain(on: Pupil.lessons))
    try publish(2)
    await #expect(processExitsWith: .signal(SIGKILL)) { [root = bench.folder.url.path as String] in
      try await Self.dieTraining(root, when: false)
    }
    await #expect(processExitsWith: .signal(SIGKILL)) { [root = bench.folder.url.path as String] in
      try await Self.dieTraining(root, when: true)
    }
    #expect(try channel.status().models.first?.current?.release == 2)
    await channel.refresh()
    #expect(try model.knowledge == ["base 1", "mine"])
    #expect(try open().model("m").knowledge == ["base 1", "mine"])
    #expect(!channel.core.store.orphans(channel.core.cache).isEmpty)
    try prune(channel)
    #expect(channel.core.store.orphans(channel.core.cache).isEmpty)
    // The next update completes the retraining.
    try await channel.update()
    #expect(try model.knowledge == ["base 2", "mine"])
  }

  @Test func aDiscardedModelGoesWhenTheNewBaseHasProvedItself() async throws {
    let (channel, model) = try await pupil(.discard)
    // This also proves the base, so that it becomes a rollback target.
    try prove(model)
    #expect(try channel.status().models.first?.isProven == true)
    let personal = try #require(try channel.personalModel("m"))
    try publish(2)
    try await channel.update()
    #expect(try model.knowledge == ["base 2", "base 2"])
    // After a rollback of the new base, the old base returns with its personalised model.
    try await channel.rollBack("m")
    #expect(try model.knowledge == ["base 1", "mine"])
    try publish(3)
    try await channel.update()
    #expect(try model.knowledge == ["base 3", "base 3"])
    #expect(try channel.core.store.digests().contains(personal.tree))
    try prove(model)
    try await channel.update()
    #expect(try channel.personalModel("m") == nil)
    #expect(try !channel.core.store.digests().contains(personal.tree))
  }

  @Test func whatIsWrongWithAModelIsWrongWithWhatWasMadeOfIt() async throws {
    let (channel, model) = try await pupil()
    try bench.shop.rollBack("m", reason: "a lawsuit", in: "stable")
    try bench.sign()
    _ = try await channel.check()
    #expect(try model.knowledge == ["base 0", "base 0"])
    #expect(try open().model("m").version == .baseline)
    // The personalised model is kept and can be retrained on another base.
    let patient = try open(.retrain(on: Pupil.lessons))
    try publish(2)
    try await patient.update()
    #expect(try patient.model("m").knowledge == ["base 2", "mine"])
  }

  @Test func whatIsNoModelInItsPlaceIsNotTaken() async throws {
    let (channel, model) = try await pupil()
    let before = try #require(try channel.personalModel("m"))
    let other = try Samples.compiled(Samples.small(1, in: bench.folder))
    let code = await Fixture.code {
      try await channel.personalize("m") { _, target in try FileManager.default.copyItem(at: other, to: target) }
    }
    #expect(code == .otherInterface)
    let none = await Fixture.code { try await channel.personalize("m") { _, _ in } }
    #expect(none == .doesNotLoad)
    #expect(try channel.personalModel("m") == before)
    #expect(try model.knowledge == ["base 1", "mine"])
  }

  @Test func aBadPersonalModelLeavesTheBase() async throws {
    let (channel, model) = try await pupil()
    let personal = try #require(try channel.personalModel("m"))
    let events = channel.events()
    for _ in 0..<5 { model.reportFailure() }
    #expect(try model.knowledge == ["base 1", "base 1"])
    #expect(try channel.status().models.first?.blocked[personal.tree]?.reason == .predictionFailures)
    for await event in events {
      guard case .rolledBack(_, let release, let reason) = event else { continue }
      #expect(release == nil && reason == .predictionFailures)
      break
    }
    #expect(try open().model("m").version.release?.release == 1)
  }

  @Test func whatAnInterruptedTrainingLeftIsPruned() async throws {
    let (channel, _) = try await pupil()
    let core = channel.core
    let named = try #require(try channel.personalModel("m")).tree
    // Simulates a kill between the store and the record.
    func leave(_ version: Int, of name: String?) throws -> String {
      let folder = try core.store.stagingFolder()
      let file = folder.url.appending(path: "a.mlmodel")
      try Data(Pupil.bytes(version)).write(to: file)
      return try core.store.add(tree: file, expected: nil, origin: .personal, personalOf: name).digest
    }
    let (orphan, own) = (try leave(8, of: core.records.storeName(of: "m")), try leave(9, of: nil))
    try prune(channel)
    let left = Set(try core.store.digests())
    #expect(!left.contains(orphan) && left.isSuperset(of: [named, own]))
    // With a damaged record nothing is removed.
    try Data("{".utf8).write(to: core.store.personalRecords.file(of: core.records.storeName(of: "m")))
    #expect(Fixture.code { try prune(channel) } == .damagedRecord)
    #expect(try Set(core.store.digests()) == left)
    #expect(try open().model("m").knowledge == ["base 1", "base 1"])
  }
}
