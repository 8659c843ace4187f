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
    // Not at the next check either, when only one of the two would be installed.
    try await channel.update()
    #expect(try models.map { try $0.one() } == [2, 2])
    try publish(3, golden: 4)
    try await channel.update()
    #expect(try models.map { try $0.one() } == [4, 4])
    // One fails: both go back.
    for _ in 0..<5 { models[0].reportFailure() }
    await channel.refresh()
    #expect(try models.map { try $0.one() } == [1, 1])
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
    for _ in 0..<200 where told.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(20)) }
    try await Task.sleep(for: .milliseconds(50))
    #expect(told.withLock { $0.count } == 1)
    let second = try await withCheckedThrowingContinuation { continuation in
      MLModelCollection.beginAccessing(identifier: "speech") { continuation.resume(with: $0) }
    }
    #expect(second.deploymentID != first.deploymentID && told.withLock { $0.last } == second.deploymentID)
    // What is accessed stays.
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
