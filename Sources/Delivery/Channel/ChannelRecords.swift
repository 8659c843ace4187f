import Foundation

/// What this device has recorded about the models of a channel: the installed state, health records and blocks.
struct ChannelRecords: Sendable {
  /// The health store's key for the baseline.
  static let baseline = "baseline"

  let options: ChannelOptions
  let repository: String
  let files: ChannelFiles
  let store: ModelStore
  let log: ChannelLog

  /// Returns the installed state on disk. An unreadable one is reported and treated as empty, so that the baselines are
  /// used.
  func installedState() -> InstalledState {
    do { return try files.installedState() } catch {
      log.report(error, model: nil)
      return InstalledState()
    }
  }

  /// The name of a channel's model in the store.
  func storeName(of model: String) -> String { "\(repository):\(options.channel):\(model)" }

  func health(of model: String) -> HealthStore { files.health(of: model) }

  /// Why a model is blocked for this version of the runtime; nil if it is not.
  func block(of digest: String, _ model: String) -> ModelBlock? {
    health(of: model).block(of: digest, runtime: options.runtime)
  }

  /// Whether a baseline of the model shipped with the application and still exists.
  func hasBaseline(_ model: String) -> Bool {
    options.baselines[model].map { FileManager.default.fileExists(atPath: $0.path) } ?? false
  }

  func isPresent(_ digest: String) -> Bool { (try? store.model(digest)) != nil }

  /// Returns the models of the channel that have an installed state or a baseline on this device.
  func knownModels() throws -> Set<String> {
    Set(try files.installedState().models.keys).union(options.baselines.keys)
  }

  /// - Throws: ``DeliveryError`` `notOffered` if no model has this name.
  func requireKnown(_ model: String, among known: Set<String>) throws {
    guard !known.contains(model) else { return }
    let names = known.isEmpty ? "no models are here" : "here are: \(known.sorted().joined(separator: ", "))"
    throw DeliveryError(
      .notOffered, "'\(repository):\(options.channel)' has no model '\(model.prefix(64))' on this device (\(names))")
  }

  /// Removes this device's blocks on models of a name, and returns their number.
  ///
  /// - Throws: ``DeliveryError`` `notOffered` if no model has this name.
  func removeBlocks(of model: String) throws -> Int {
    let tried = files.modelsWithHealth()
    try requireKnown(model, among: knownModels().union(options.models ?? []).union(tried))
    let health = health(of: model)
    let blocked = health.blocks(runtime: options.runtime).keys
    for digest in blocked { try health.forget(digest) }
    return blocked.count
  }
}
