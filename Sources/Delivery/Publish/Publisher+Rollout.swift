import Foundation

extension Publisher {
  /// Releases a model to a percentage of the devices, or changes the percentage of an active release.
  ///
  /// - Parameters:
  ///   - number: the release; nil for the newest one that is not withdrawn.
  ///   - rolloutID: releases with equal identifiers reach the same devices first; nil keeps the identifier of the
  ///     release.
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

  /// Releases a model to all devices.
  @discardableResult
  public func promote(_ model: String, _ number: Int? = nil, in channel: String) throws -> Release {
    try stage(model, number, percentage: 100, in: channel)
  }

  /// Stops an active release from reaching more devices, until it is staged again.
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

  /// Withdraws a release permanently. Its devices return to an older release or to the baseline.
  ///
  /// The trees of its variants are blocked, except those shared with a release that is not withdrawn.
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

  /// Makes all devices use one release; nil ends this.
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

  /// Makes devices use the baseline of a model (or of all models if nil). If `reason` is nil, this ends the kill
  /// switch.
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

  /// Begins an experiment with releases of a model; nil ends it.
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

  /// Defines a collection of models that switch together; an empty list removes the collection.
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
