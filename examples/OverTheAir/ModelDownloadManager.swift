import CoreML
import CoreMLDelivery
import CoreMLDeliveryHTTP
import Foundation

/// The manager of the article "Safely distribute new machine learning models to millions of iPhones over-the-air", on a channel: it asks a
/// static host, downloads, compiles on the device, keeps the model, deletes old ones and prefers the newest. What the article leaves to
/// its readers is done too: signatures, rollouts, going back.
final class ModelDownloadManager: Sendable {
  private let channel: ModelChannel
  private let name: String

  /// - Parameters:
  ///   - bundled: the model that came with the software; it works from the first start on, also without a network.
  ///   - root: whom to believe, from the publisher.
  init(model name: String, bundled: URL, host: URL, root: URL, device: String) throws {
    self.name = name
    let version = "1.0.0"
    let places = try DeliveryDirectories()
    var options = ChannelOptions(
      channel: "stable", hosts: [host], root: try SignedEnvelope(Data(contentsOf: root)), places: places,
      runtimeVersion: version)
    options.baselines = [name: bundled]
    // A device's own random identifier would do; here the rollout is to be the same each time.
    options.device = .this(id: device, runtimeVersion: version)
    // A day of a real model's life, in a moment.
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

  /// The downloaded model, or the bundled one: always the newest that is good.
  func latestModel() throws -> ManagedModel { try channel.model(name) }

  /// Why models were left on this device.
  func leftModels() throws -> [String] {
    try channel.status().models.flatMap(\.blocked.values).sorted { $0.date < $1.date }.map {
      "release \($0.release ?? 0) is left: \($0.reason.rawValue)"
    }
  }

  static func name(_ release: InstalledRelease?) -> String { release.map { "release \($0.release)" } ?? "bundled" }
}
