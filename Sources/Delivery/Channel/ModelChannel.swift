import Foundation

/// A publisher's channel, as a device follows it: checks for new models, installs them, switches to them, and goes back when they are bad.
///
/// Opening asks no network: what was installed last and is good is there at once, or what came with the software. Any number of processes
/// may follow one channel at once.
///
/// ```swift
/// var options = ChannelOptions(channel: "stable", hosts: [host], root: root, places: try Places(), runtimeVersion: "1.0")
/// options.baselines = ["Digits": bundledModel]
/// let channel = try ModelChannel(options, downloader: Downloader(transport: HTTPTransport(options: http)))
/// let model = try channel.model("Digits")                  // at once, also offline
/// Task { try await channel.follow(every: .seconds(3600)) }  // new predictions go to new models from now on
/// ```
public actor ModelChannel {
  nonisolated let core: ChannelCore
  nonisolated let downloader: Downloader
  private let updating = SharedWork<ChannelUpdate>()
  // What waits for disks and compilers does not hold up the threads that all tasks share.
  private let executor = QueueExecutor(label: "coreml.delivery.channel")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens a channel.
  ///
  /// - Parameter downloader: what fetches; by default from `file:` URLs only.
  /// - Throws: ``DeliveryError`` when the trust root does not vouch for itself.
  public init(_ options: ChannelOptions, downloader: Downloader = Downloader(transport: FileTransport())) throws {
    core = try ChannelCore(options)
    self.downloader = downloader
  }

  /// Where what is asked of the channel is told from. What a listener does not take in time is dropped, the oldest first.
  public nonisolated func events() -> AsyncStream<ChannelEvent> { core.events.stream() }

  /// A model of the channel: what was installed last and is good, or what came with the software. Every call for a name gives the same
  /// object as long as it lives.
  ///
  /// - Throws: ``DeliveryError`` `notOffered`, `noWorkingModel`.
  public nonisolated func model(_ name: String) throws -> ManagedModel { try core.managed(name) }

  // MARK: asking

  /// Asks for the newest manifest, without fetching models. What it takes back is left at once.
  ///
  /// - Throws: ``DeliveryError`` when no host has a manifest that holds; models go on as before. `noSuchRelease` where
  ///   ``ChannelOptions/asked`` names what the channel does not have; what is in use stays.
  public func check() async throws -> ChannelCheck {
    do {
      let (accepted, isNew) = try await ManifestFetch(core: core, downloader: downloader).newest()
      core.events.tell(.checked(version: accepted.manifest.version, isNew: isNew))
      for warning in accepted.warnings { core.events.tell(.warned(warning.code, message: warning.message)) }
      return try core.apply(accepted, isNew: isNew)
    } catch {
      core.tell(error, model: nil)
      throw error
    }
  }

  /// Checks, and installs and switches to what this device is to run. Models of a collection switch together or not at all. A model that
  /// cannot be installed is reported and does not keep others from it. Of several calls at once, one does the work; it is cancelled when
  /// all of them are.
  ///
  /// - Throws: ``DeliveryError`` as ``check()``; `CancellationError`, and what was fetched so far is kept for the next time.
  @discardableResult public func update() async throws -> ChannelUpdate {
    try await updating.value { [self] in
      var update = try await updateOnce()
      for (model, error) in update.failures {
        update.failures[model] = error.naming(model, copiedTo: core.store.staging)
      }
      return update
    }
  }

  /// Updates again and again, until the task is cancelled. Failures are told as events.
  ///
  /// - Parameter interval: from one update to the next; up to a tenth more, so that devices do not all come at once.
  public func follow(every interval: Duration) async throws {
    while true {
      do { try await update() } catch is CancellationError { throw CancellationError() } catch {}
      try await Task.sleep(for: interval * Double.random(in: 1...1.1))
    }
  }

  /// Has the models that are open follow what other processes have switched to.
  public func refresh() { core.refreshAll() }

  /// Where the compiled form of the model stands that answers for a name, with what keeps it there.
  ///
  /// - Throws: ``DeliveryError`` `notOffered`.
  public nonisolated func compiledModel(_ name: String) throws -> (url: URL, leases: [ModelLease]) {
    guard let version = core.candidates(name, arm: nil, core.healed([name])).first else {
      throw DeliveryError(
        .notOffered,
        "no model '\(name)' is installed from '\(core.repository):\(core.options.channel)', and none came with the software"
      )
    }
    return try core.place(name, version)
  }

  // MARK: by hand

  /// Leaves a model for the last good one, or the one that came with the software, and does not come back to it. Where neither is here,
  /// the newest earlier release that is not blocked takes its place.
  ///
  /// - Throws: ``DeliveryError`` `noEarlierVersion` when there is nothing else to answer: the model stays in use. `notOffered` for a name
  ///   that is no model's.
  public func rollBack(_ model: String, reason: String = "asked for at this device") throws {
    try core.requireKnown(model, among: core.knownModels())
    guard let current = try core.files.standing()[model].current else {
      let what = core.hasBaseline(model) ? "is the model that came with the software already" : "has no release in use"
      throw DeliveryError(.noEarlierVersion, "'\(model)' \(what)")
    }
    guard core.rollBack(model, current, .byHand, reason) else {
      throw DeliveryError(
        .noEarlierVersion,
        "'\(model)' stays at release \(current.release): no other release is here to answer, and no model came with the software"
      )
    }
    core.refresh([model])
  }

  /// Forgets what this device holds against the blocked models of a name: they may be installed again.
  ///
  /// - Returns: how many were blocked.
  /// - Throws: ``DeliveryError`` `notOffered` for a name that is no model's.
  @discardableResult
  public func allow(_ model: String) throws -> Int {
    let tried = core.files.modelsWithHealth()
    try core.requireKnown(model, among: core.knownModels().union(core.options.models ?? []).union(tried))
    let book = core.files.book(of: model)
    let blocked = book.blocks(runtime: core.options.runtime).keys
    for tree in blocked { try book.forget(tree) }
    return blocked.count
  }

  /// Whether a model of the name came with the software and is still there.
  public nonisolated func hasBaseline(_ model: String) -> Bool { core.hasBaseline(model) }
}

/// What a check found.
public struct ChannelCheck: Sendable {
  /// What a device is to run of one model.
  public struct Offer: Sendable {
    /// The name of the model in the channel.
    public let model: String
    /// What this device is to run by the manifest, and why not something else.
    public let choice: ReleaseChoice
    /// What this device has switched to; nil: what came with the software.
    public let current: InstalledRelease?
    /// Whether something is to be fetched or switched to.
    public let isUpdate: Bool
    /// The arms of an experiment to be installed beside it.
    let arms: [(release: Release, variant: Variant)]
    /// Whether the device stays with what it has, though the manifest offers it nothing: there is nothing else here.
    let keepsCurrent: Bool
  }

  /// The manifest that counts.
  public let manifest: ReleaseManifest
  /// Whether the manifest is another one than at the last check.
  public let isNew: Bool
  /// What is to be told of the manifest, though it is believed.
  public let warnings: [DeliveryWarning]
  /// By the models' names.
  public let offers: [Offer]
  /// Why there is nothing for models that are followed by name; what is here stays.
  public let missing: [String: DeliveryError]
  /// Models that this device left because the publisher took their release back, or switched them off.
  public let switches: [ChannelUpdate.Switch]
  /// Whether any model has something to be fetched or switched to.
  public var hasUpdates: Bool { offers.contains(where: \.isUpdate) }
}

/// What an update came to.
public struct ChannelUpdate: Sendable {
  /// A model whose new predictions go elsewhere now.
  public struct Switch: Sendable, Hashable {
    /// The name of the model in the channel.
    public let model: String
    /// Nil: what came with the software.
    public let from: InstalledRelease?
    /// The same of what answers from now on.
    public let to: InstalledRelease?
  }

  /// What the check before it found.
  public let check: ChannelCheck
  /// The models that were switched.
  public internal(set) var switches: [Switch] = []
  /// Why models could not be installed, by name; what was there before stays in use.
  public internal(set) var failures: [String: DeliveryError] = [:]

  /// Adds switches. A model that was left before, and has switched now, has switched once.
  mutating func add(_ more: [Switch]) {
    for new in more {
      if let place = switches.firstIndex(where: { $0.model == new.model }) {
        switches[place] = Switch(model: new.model, from: switches[place].from, to: new.to)
      } else {
        switches.append(new)
      }
    }
  }
}
