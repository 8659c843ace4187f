import CoreMLRuntime
import Foundation
import Synchronization
import Testing

@testable import CoreMLDelivery

/// Models that switch together.
@Suite(.serialized) struct CollectionTests {
  let bench: ChannelBench

  init() throws { bench = try ChannelBench() }

  private func channel(baselines: Bool = true) throws -> ModelChannel {
    try bench.channel { options in
      let small = try Samples.small(0, in: bench.folder)
      options.baselines = baselines ? ["encoder": small, "decoder": small] : [:]
    }
  }

  private func publish(_ version: Int, golden: Double? = nil) throws {
    try bench.add(version, as: "encoder")
    try bench.add(version, as: "decoder", golden: golden.map { try Samples.outputs($0, in: bench.folder) })
    try bench.shop.collect(["encoder", "decoder"], as: "speech", in: "stable")
    try bench.sign()
  }

  @Test func allSwitchOrNone() async throws {
    let channel = try channel()
    let models = try ["encoder", "decoder"].map { try channel.model($0) }
    try publish(1)
    #expect(try await channel.update().switches.count == 2)
    #expect(try models.map { try $0.one() } == [2, 2])
    try publish(2, golden: 99)
    let update = try await channel.update()
    #expect(update.switches.isEmpty && Set(update.failures.keys) == ["encoder", "decoder"])
    #expect(try models.map { try $0.one() } == [2, 2])
    // The next check does not install only one of the two, either.
    try await channel.update()
    #expect(try models.map { try $0.one() } == [2, 2])
    try publish(3, golden: 4)
    try await channel.update()
    #expect(try models.map { try $0.one() } == [4, 4])
    // If one fails, both are rolled back.
    for _ in 0..<5 { models[0].reportFailure() }
    await channel.refresh()
    #expect(try models.map { try $0.one() } == [1, 1])
  }

  @Test func theyGoBackToOneDeployment() async throws {
    let channel = try channel()
    let (encoder, decoder) = (try channel.model("encoder"), try channel.model("decoder"))
    /// Makes enough successful predictions to prove a model.
    func prove(_ model: ManagedModel) throws { for _ in 0..<16 { _ = try model.one() } }
    for version in 1...2 {
      bench.now = bench.now.advanced(by: 3600)
      try publish(version)
      try await channel.update()
      try prove(encoder)
      if version == 1 { try prove(decoder) }
    }
    // Only the encoder of release 2 is proven, so both keep their common earlier release.
    try await channel.update()
    #expect(try channel.status().models.map(\.isProven) == [false, true])
    #expect(try channel.status().models.map { $0.earlier.map(\.release) } == [[1], [1]])
    bench.now = bench.now.advanced(by: 3600)
    try publish(3)
    try await channel.update()
    #expect(try [encoder, decoder].map { try $0.one() } == [4, 4])
    for _ in 0..<5 { decoder.reportFailure() }
    await channel.refresh()
    // Both return to release 2, instead of one to release 2 and the other to release 1.
    #expect(try [encoder, decoder].map { try $0.one() } == [2, 2])
  }

  @Test func aRollbackThatWasCutShortIsFinished() async throws {
    let channel = try channel()
    _ = try ["encoder", "decoder"].map { try channel.model($0) }
    try publish(1)
    try await channel.update()
    // Simulates a process that was killed after it had blocked one model.
    let core = channel.core
    let tree = try #require(core.records.installedState()["decoder"].current?.tree)
    let block = ModelBlock(
      reason: .crashLoop, message: "it dies", release: 1, date: bench.now, runtimeVersion: core.options.runtime)
    #expect(try core.files.health(of: "decoder").block(tree, block))
    #expect(core.records.installedState()["encoder"].current != nil)
    // A new process rolls both back.
    let later = try self.channel()
    #expect(try later.model("encoder").version == .baseline)
    #expect(try later.model("decoder").version == .baseline)
    #expect(try later.status().models.map(\.blocked.count) == [1, 1])
    #expect(
      core.records.installedState()["encoder"].current == nil && core.records.installedState()["decoder"].current == nil
    )
  }

  @Test func theFacadeTellsOfANewDeployment() async throws {
    let channel = try channel(baselines: false)
    MLModelCollection.register(channel)
    defer { MLModelCollection.unregister(channel) }
    await #expect(throws: MLModelError.self) { try await MLModelCollection.beginAccessing(identifier: "speech") }
    try publish(1)
    let first = try await MLModelCollection.beginAccessing(identifier: "speech")
    #expect(first.identifier == "speech" && Set(first.entries.keys) == ["encoder", "decoder"])
    let url = try #require(first.entries["encoder"]?.modelURL)
    #expect(first.entries["encoder"]?.modelIdentifier == "encoder")
    _ = try MLModel(contentsOf: url)

    let told = Mutex<[String]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: MLModelCollection.didChangeNotification, object: nil, queue: nil
    ) { note in
      if let collection = note.object as? MLModelCollection { told.withLock { $0.append(collection.deploymentID) } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try publish(2)
    try await channel.update()
    for _ in 0..<6000 where told.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(20)) }
    try await Task.sleep(for: .milliseconds(50))
    #expect(told.withLock { $0.count } == 1)
    let second = try await withCheckedThrowingContinuation { continuation in
      MLModelCollection.beginAccessing(identifier: "speech") { continuation.resume(with: $0) }
    }
    #expect(second.deploymentID != first.deploymentID && told.withLock { $0.last } == second.deploymentID)
    // The model stays accessible.
    _ = try MLModel(contentsOf: url)
    let ended = Mutex<[Bool]>([])
    for _ in 0..<2 {
      MLModelCollection.endAccessing(identifier: "speech") { result in
        ended.withLock { $0.append((try? result.get()) != nil) }
      }
    }
    #expect(ended.withLock { $0 } == [true, false])
  }
}
