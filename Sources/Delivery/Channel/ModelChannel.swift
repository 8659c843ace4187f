import Foundation

/// A client of a publisher's channel: checks for releases, installs them, switches to them, and rolls back faulty ones.
///
/// Opening a channel makes no network requests. ``model(_:)`` returns at once, with the installed release last in use
/// or the baseline that shipped with the application. Several processes may follow one channel concurrently.
///
/// ```swift
/// var options = ChannelOptions(
///   channel: "stable", hosts: [host], root: root, places: try DeliveryDirectories(), runtimeVersion: "1.0")
/// options.baselines = ["Digits": bundledModel]
/// let channel = try ModelChannel(options, downloader: Downloader(transport: HTTPTransport(options: http)))
/// let model = try channel.model("Digits")                   // returns at once, also offline
/// Task { try await channel.follow(every: .seconds(3600)) }  // later predictions use newer models
/// ```
public actor ModelChannel {
  nonisolated let core: ChannelCore
  nonisolated let downloader: Downloader
  private let updating = SharedWork<ChannelUpdate>()
  // Blocking on disks and compilers must not occupy the threads of the shared concurrency pool.
  private let executor = QueueExecutor(label: "coreml.delivery.channel")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens a channel.
  ///
  /// - Parameter downloader: fetches all files; the default supports only `file:` URLs.
  /// - Throws: ``DeliveryError`` if the trust root is not validly signed by its own keys.
  public init(_ options: ChannelOptions, downloader: Downloader = Downloader(transport: FileTransport())) throws {
    core = try ChannelCore(options)
    self.downloader = downloader
  }

  /// Returns a stream of the channel's events. A slow listener loses the oldest buffered events.
  public nonisolated func events() -> AsyncStream<ChannelEvent> { core.log.events.stream() }

  /// Returns a model of the channel: the installed release last in use, or the baseline.
  ///
  /// All calls with one name return the same object while that object is alive.
  ///
  /// - Throws: ``DeliveryError`` `notOffered`, `noWorkingModel`.
  public nonisolated func model(_ name: String) throws -> ManagedModel { try core.managed(name) }

  // MARK: checking and updating

  /// Fetches the newest manifest, but no models. If the manifest revokes a release in use, the device leaves that
  /// release at once.
  ///
  /// - Throws: ``DeliveryError`` if no host has a valid manifest; the current models stay in use. `noSuchRelease` if
  ///   ``ChannelOptions/asked`` names a release that the channel does not have; the current release stays in use.
  public func check() async throws -> ChannelCheck {
    do {
      let (accepted, isNew) = try await ManifestFetch(core: core, downloader: downloader).newest()
      core.log.send(.checked(version: accepted.manifest.version, isNew: isNew))
      for warning in accepted.warnings { core.log.send(.warned(warning.code, message: warning.message)) }
      return try core.plan.apply(accepted, isNew: isNew)
    } catch {
      core.log.report(error, model: nil)
      throw error
    }
  }

  /// Checks the channel, installs what this device needs, and switches to it.
  ///
  /// The models of a collection switch atomically. A model that cannot be installed is reported and does not hold up
  /// the others. Concurrent calls share one update. The update is cancelled once all of its callers are cancelled.
  ///
  /// - Throws: ``DeliveryError`` as ``check()`` does; `CancellationError`. Partial downloads are kept for the next
  ///   update.
  @discardableResult public func update() async throws -> ChannelUpdate {
    try await updating.value { [self] in
      var update = try await updateOnce()
      for (model, error) in update.failures {
        update.failures[model] = error.naming(model, copiedTo: core.store.staging)
      }
      return update
    }
  }

  /// Updates periodically until the task is cancelled. Failures are reported as events.
  ///
  /// - Parameter interval: the time between updates. Up to 10 percent is added at random, to spread the load of many
  ///   devices.
  public func follow(every interval: Duration) async throws {
    while true {
      do { try await update() } catch is CancellationError { throw CancellationError() } catch {}
      try await Task.sleep(for: interval * Double.random(in: 1...1.1))
    }
  }

  /// Lets the open models pick up switches made by other processes.
  public func refresh() { core.openModels.refreshAll() }

  /// Returns the URL of the compiled model that serves a name, with the leases that protect it from removal.
  ///
  /// - Throws: ``DeliveryError`` `notOffered`.
  public nonisolated func compiledModel(_ name: String) throws -> (url: URL, leases: [ModelLease]) {
    guard let version = core.loading.candidates(name, arm: nil, core.rollback.completed([name])).first else {
      throw DeliveryError(
        .notOffered,
        "no model '\(name)' is installed from '\(core.repository):\(core.options.channel)', and none came with the software"
      )
    }
    return try core.loading.locate(name, version)
  }

  // MARK: manual control

  /// Leaves the current model for the last good one, or else for the baseline, and blocks it on this device.
  ///
  /// If neither exists, the newest installed earlier release that is not blocked replaces it.
  ///
  /// - Throws: ``DeliveryError`` `noEarlierVersion` if no replacement exists; the model stays in use. `notOffered` if
  ///   no model has this name.
  public func rollBack(_ model: String, reason: String = "asked for at this device") throws {
    try core.rollback.rollBackByHand(model, reason)
    core.openModels.refresh([model])
  }

  /// Removes this device's blocks on models of a name, so that they may be installed again.
  ///
  /// - Returns: the number of blocked models.
  /// - Throws: ``DeliveryError`` `notOffered` if no model has this name.
  @discardableResult
  public func allow(_ model: String) throws -> Int {
    try core.records.removeBlocks(of: model)
  }

  /// Whether a baseline of this name shipped with the application and still exists.
  public nonisolated func hasBaseline(_ model: String) -> Bool { core.records.hasBaseline(model) }
}
