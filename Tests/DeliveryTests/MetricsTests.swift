import Foundation
import Metrics
import MetricsTestKit
import Testing

@testable import CoreMLDelivery

/// Metrics reported to swift-metrics. Other tests count concurrently, so these tests use unique labels or check
/// increments.
@Suite(.serialized) struct MetricsTests {
  private static let metrics: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    _ = Self.metrics
  }

  private func total(_ name: String, _ labels: [(String, String)] = []) -> Int64 {
    Self.metrics.counterTotal(label: "coreml_delivery_\(name)_total", dimensions: labels)
  }

  /// Checks that a counter grows by at least `least`.
  private func expect(
    _ name: String, _ labels: [(String, String)] = [], by least: Int64 = 1,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async rethrows {
    let before = total(name, labels)
    try await body()
    let grown = total(name, labels) - before
    #expect(grown >= least, "\(name) \(labels)", sourceLocation: sourceLocation)
  }

  @Test func transfersAreCounted() async throws {
    let file = try folder.write(String(repeating: "x", count: 5000), to: "a")
    let downloader = Downloader(transport: FileTransport(), policy: RetryPolicy(attempts: 1))
    let target = folder.url.appending(path: "b")
    try await expect("transfer_bytes", by: 5000) {
      try await expect("transfer_events", [("event", "transfer.finished")]) {
        _ = try await downloader.download(TransferItem(file, limit: 10_000), to: target)
      }
    }
    #expect(try !Self.metrics.expectTimer("coreml_delivery_transfer_seconds").values.isEmpty)
    await expect("transfer_failures", [("reason", "delivery.not-found")]) {
      _ = try? await downloader.download(
        TransferItem(folder.url.appending(path: "none"), limit: 10_000), to: target)
    }
  }

  @Test func installsAndRefusalsAreCounted() async throws {
    let store = try folder.store()
    let cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
    let installer = ModelInstaller(store: store, cache: cache)
    let model = folder.url.appending(path: "m.mlmodel")
    try Data(SmallModel.bytes(offset: 41)).write(to: model)
    try await expect("accepted", [("step", "install")]) { _ = try installer.install(model, as: "m") }
    #expect(try !Self.metrics.expectTimer("coreml_delivery_step_seconds", [("step", "install")]).values.isEmpty)
    var request = ModelInstaller.Request()
    request.expected = String(repeating: "0", count: 64)
    await expect("refused", [("step", "install"), ("reason", "delivery.wrong-tree")]) {
      #expect(Fixture.code { _ = try installer.install(model, as: "m", request) } == .wrongTree)
    }
    let archive = folder.url.appending(path: "a.tar.gz")
    try Samples.archive([.init(name: "../x")], to: archive)
    await expect("refused", [("step", "unpack"), ("reason", "delivery.archive-parent-path")]) {
      #expect(Fixture.code { _ = try installer.install(archive, as: "m") } == .archiveParentPath)
    }
    // Metrics of disk usage, damage and pruning.
    let stored = try store.model(store.digests()[0])
    _ = try store.usage(cache)
    #expect(
      try Self.metrics.expectRecorder("coreml_delivery_disk_bytes", [("kind", "active")]).values.contains { $0 > 0 })
    _ = chmod(stored.url.path, 0o644)
    try Data("damaged".utf8).write(to: stored.url)
    try await expect("damage_found", [("kind", "damaged-model")]) { _ = try store.verify(cache) }
    try store.remove(name: "m")
    var policy = PrunePolicy()
    policy.grace = .zero
    try await expect("pruned_bytes", [("reason", "unused")], by: 1) {
      try await expect("pruned", [("reason", "unused")]) { _ = try store.prune(policy, cache) }
    }
  }

  @Test func predictionsAndEventsOfAChannelAreCounted() async throws {
    let bench = try ChannelBench()
    let channel = try bench.channel { $0.baselines = [:] }
    try bench.publish(1, as: "metered")
    try await expect("accepted", [("step", "manifest")]) {
      try await expect("accepted", [("step", "payload")]) {
        try await expect("channel_events", [("event", "channel.switched")]) { _ = try await channel.update() }
      }
    }
    let model = try channel.model("metered")
    struct Odd: Error {}
    for _ in 0..<3 { _ = try model.one() }
    #expect(throws: Odd.self) { try model.withModel { _, _ in throw Odd() } }
    #expect(total("predictions", [("model", "metered"), ("outcome", "good")]) == 3)
    #expect(total("predictions", [("model", "metered"), ("outcome", "failed")]) == 1)
    #expect(
      try Self.metrics.expectTimer("coreml_delivery_prediction_seconds", [("model", "metered")]).values.count == 3)
    try Data("{}".utf8).write(to: bench.publisher.files.channelFile("stable"))
    await expect("channel_events", [("event", "channel.failed"), ("reason", "delivery.malformed-envelope")]) {
      _ = try? await channel.update()
    }
  }
}
