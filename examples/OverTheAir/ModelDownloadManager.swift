import CoreML
import CoreMLDelivery
import CoreMLDeliveryHTTP
import Foundation

/// The manager of the article "Safely distribute new machine learning models to millions of iPhones over-the-air",
/// based on a channel. It queries a static host, downloads and compiles models on the device, stores them, deletes old
/// ones and prefers the newest. It also does what the article omits: signatures, rollouts and rollbacks.
final class ModelDownloadManager: Sendable {
  private let channel: ModelChannel
  private let name: String

  /// - Parameters:
  ///   - bundled: The model that came with the software. It works from the first start, even without a network.
  ///   - root: The publisher's trust root.
  init(model name: String, bundled: URL, host: URL, root: URL, device: String) throws {
    self.name = name
    let version = "1.0.0"
    let places = try DeliveryDirectories()
    var options = ChannelOptions(
      channel: "stable", hosts: [host], root: try SignedEnvelope(Data(contentsOf: root)), places: places,
      runtimeVersion: version)
    options.baselines = [name: bundled]
    // A device's own random identifier would do. A fixed one makes the rollout of this example reproducible.
    options.device = .this(id: device, runtimeVersion: version)
    // Small limits compress a day of a real model's life into a moment.
    options.health.predictionFailures = 3
    options.health.provingPredictions = 20
    options.health.provingTime = .zero
    let http = HTTPTransport(options: HTTPOptions(runtimeVersion: version))
    channel = try ModelChannel(
      options,
      downloader: Downloader(transport: SchemeTransport(["http": http, "https": http, "file": FileTransport()])))
  }

  /// Downloads, compiles and switches to a newer model if there is one for this device.
  func checkForModelUpdates() async throws {
    for item in try await channel.update().switches {
      print("  \(item.model): \(Self.name(item.from)) -> \(Self.name(item.to))")
    }
  }

  /// The newest good model: downloaded or bundled.
  func latestModel() throws -> ManagedModel { try channel.model(name) }

  /// Why models were rejected on this device.
  func leftModels() throws -> [String] {
    try channel.status().models.flatMap(\.blocked.values).sorted { $0.date < $1.date }.map {
      "release \($0.release ?? 0) is left: \($0.reason.rawValue)"
    }
  }

  static func name(_ release: InstalledRelease?) -> String { release.map { "release \($0.release)" } ?? "bundled" }
}
