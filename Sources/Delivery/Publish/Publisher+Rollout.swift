import Foundation

extension Publisher {
  /// Gives a release out to a part of the devices; to more, or to fewer, when it is out already.
  ///
  /// - Parameters:
  ///   - number: the newest release that is not withdrawn, when nil.
  ///   - rolloutID: releases of one identifier go to the same devices first; that of the release by default.
  @discardableResult
  public func stage(
    _ model: String, _ number: Int? = nil, percentage: Double, phases: Rollout.Phases? = nil, rolloutID: String? = nil,
    in channel: String
  ) throws -> Release {
    try change(model, number, in: channel) { release in
      guard release.state != .withdrawn else {
        throw Self.takenBack(release, model)
      }
      release.state = .active
      release.rollout = Rollout(id: rolloutID ?? release.rollout.id, percentage: percentage, phases: phases)
    }
  }

  /// Gives a release out to all devices.
  @discardableResult
  public func promote(_ model: String, _ number: Int? = nil, in channel: String) throws -> Release {
    try stage(model, number, percentage: 100, in: channel)
  }

  /// Gives an active release to nobody else for the time being.
  @discardableResult
  public func pause(_ model: String, _ number: Int? = nil, in channel: String) throws -> Release {
    try change(model, number, in: channel) { release in
      guard release.state == .active || release.state == .paused else {
        throw DeliveryError(
          .cannotPublish, "release \(release.number) of '\(model)' is \(release.state.rawValue): it cannot be paused")
      }
      release.state = .paused
    }
  }

  /// Takes a release back, for good: devices that have it go to the next older one, or to the model that came with the software. Its
  /// trees are blocked, but for those that a release still given out has too.
  @discardableResult
  public func rollBack(_ model: String, _ number: Int? = nil, reason: String, in channel: String) throws -> Release {
    try edit(channel) { manifest in
      var record = try Self.record(model, manifest)
      let index = try Self.index(number, model, record)
      record.releases[index].state = .withdrawn
      let release = record.releases[index]
      if record.forced == release.number { record.forced = nil }
      if record.experiment?.arms.contains(where: { $0.release == release.number }) == true { record.experiment = nil }
      manifest.models[model] = record
      let kept = Set(
        manifest.models.values.flatMap(\.releases).filter { $0.state != .withdrawn }.flatMap(\.variants).map(\.tree))
      for variant in release.variants where !kept.contains(variant.tree) { manifest.blocked[variant.tree] = reason }
      return release
    }
  }

  /// Makes every device run one release, or ends that.
  public func force(_ model: String, _ number: Int?, in channel: String) throws {
    try edit(channel) { manifest in
      var record = try Self.record(model, manifest)
      record.forced = try number.map { number in
        let release = record.releases[try Self.index(number, model, record)]
        guard release.state != .withdrawn else { throw Self.takenBack(release, model) }
        return release.number
      }
      manifest.models[model] = record
    }
  }

  /// Switches a model (all models, when nil) to what came with the software, or back on when `reason` is nil.
  public func kill(_ model: String?, reason: String?, in channel: String) throws {
    try edit(channel) { manifest in
      let killed = reason.map { ReleaseManifest.KillSwitch(reason: $0) }
      if let model {
        var record = try Self.record(model, manifest)
        record.killSwitch = killed
        manifest.models[model] = record
      } else {
        manifest.killSwitch = killed
      }
    }
  }

  /// Puts releases of a model side by side, or ends that.
  public func experiment(_ model: String, _ experiment: Experiment?, in channel: String) throws {
    try edit(channel) { manifest in
      var record = try Self.record(model, manifest)
      for arm in experiment?.arms ?? [] {
        let release = record.releases[try Self.index(arm.release, model, record)]
        guard release.state != .withdrawn else { throw Self.takenBack(release, model) }
      }
      record.experiment = experiment
      manifest.models[model] = record
    }
  }

  /// Names models that switch together; no models end the collection.
  public func collect(_ models: [String], as name: String, in channel: String) throws {
    try edit(channel) { $0.collections[name] = models.isEmpty ? nil : models }
  }

  private func change(
    _ model: String, _ number: Int?, in channel: String, _ body: (inout Release) throws -> Void
  ) throws -> Release {
    try edit(channel) { manifest in
      var record = try Self.record(model, manifest)
      let index = try Self.index(number, model, record)
      try body(&record.releases[index])
      manifest.models[model] = record
      return record.releases[index]
    }
  }

  private static func takenBack(_ release: Release, _ model: String) -> DeliveryError {
    DeliveryError(.cannotPublish, "release \(release.number) of '\(model)' was taken back; add it anew")
  }

  private static func record(_ model: String, _ manifest: ReleaseManifest) throws -> ModelRecord {
    guard let record = manifest.models[model] else {
      throw DeliveryError(.cannotPublish, "the channel '\(manifest.channel)' has no model '\(model)'")
    }
    return record
  }

  private static func index(_ number: Int?, _ model: String, _ record: ModelRecord) throws -> Int {
    guard let number else {
      guard let index = record.releases.lastIndex(where: { $0.state != .withdrawn }) else {
        throw DeliveryError(.cannotPublish, "'\(model)' has no release that is not taken back")
      }
      return index
    }
    guard let index = record.releases.firstIndex(where: { $0.number == number }) else {
      throw DeliveryError(.cannotPublish, "'\(model)' has no release \(number)")
    }
    return index
  }
}
