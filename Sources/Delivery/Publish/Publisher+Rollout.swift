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
    try edit(channel) {
      try $0.change(model, number) { release in
        guard release.state != .withdrawn else {
          throw ReleaseManifest.withdrawn(release, model)
        }
        release.state = .active
        release.rollout = Rollout(id: rolloutID ?? release.rollout.id, percentage: percentage, phases: phases)
      }
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
    try edit(channel) {
      try $0.change(model, number) { release in
        guard release.state == .active || release.state == .paused else {
          throw DeliveryError(
            .cannotPublish, "release \(release.number) of '\(model)' is \(release.state.rawValue): it cannot be paused")
        }
        release.state = .paused
      }
    }
  }

  /// Withdraws a release permanently. Its devices return to an older release or to the baseline.
  ///
  /// The trees of its variants are blocked, except those shared with a release that is not withdrawn.
  @discardableResult
  public func rollBack(_ model: String, _ number: Int? = nil, reason: String, in channel: String) throws -> Release {
    try edit(channel) { try $0.withdraw(model, number, reason: reason) }
  }

  /// Makes all devices use one release; nil ends this.
  public func force(_ model: String, _ number: Int?, in channel: String) throws {
    try edit(channel) { try $0.force(model, number) }
  }

  /// Makes devices use the baseline of a model (or of all models if nil). If `reason` is nil, this ends the kill
  /// switch.
  public func kill(_ model: String?, reason: String?, in channel: String) throws {
    try edit(channel) { try $0.kill(model, reason: reason) }
  }

  /// Begins an experiment with releases of a model; nil ends it.
  public func experiment(_ model: String, _ experiment: Experiment?, in channel: String) throws {
    try edit(channel) { try $0.begin(experiment, of: model) }
  }

  /// Defines a collection of models that switch together; an empty list removes the collection.
  public func collect(_ models: [String], as name: String, in channel: String) throws {
    try edit(channel) { $0.collections[name] = models.isEmpty ? nil : models }
  }
}
