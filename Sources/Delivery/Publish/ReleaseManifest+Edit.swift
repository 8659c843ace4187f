import Foundation

/// Changes of a channel's draft.
extension ReleaseManifest {
  /// Adds a variant to the newest release if that is staged and has the version, or to a new release.
  mutating func add(_ variant: Variant, _ addition: Publisher.Addition, now: Timestamp) throws -> Release {
    var record = models[addition.model] ?? ModelRecord()
    let release: Release
    if var last = record.releases.last, last.state == .staged, last.version == addition.version {
      guard !last.variants.contains(where: { $0.name == variant.name }) else {
        throw DeliveryError(
          .cannotPublish, "version \(last.version) of '\(addition.model)' has a variant '\(variant.name)' already")
      }
      last.variants.append(variant)
      record.releases[record.releases.count - 1] = last
      release = last
    } else {
      guard !record.releases.contains(where: { $0.version == addition.version }) else {
        throw DeliveryError(
          .cannotPublish, "'\(addition.model)' has a release of the version \(addition.version) already")
      }
      let number = (record.releases.last?.number ?? 0) + 1
      release = Release(
        number: number, version: addition.version, state: .staged,
        rollout: Rollout(id: "\(addition.model)-\(number)", percentage: 0), created: now,
        critical: addition.critical, notes: addition.notes, variants: [variant])
      record.releases.append(release)
    }
    models[addition.model] = record
    return release
  }

  /// Changes a release; nil for the newest one that is not withdrawn.
  mutating func change(_ model: String, _ number: Int?, _ body: (inout Release) throws -> Void) throws -> Release {
    var record = try record(of: model)
    let index = try Self.index(number, model, record)
    try body(&record.releases[index])
    models[model] = record
    return record.releases[index]
  }

  /// Withdraws a release permanently, and blocks the trees that only it has.
  mutating func withdraw(_ model: String, _ number: Int?, reason: String) throws -> Release {
    var record = try record(of: model)
    let index = try Self.index(number, model, record)
    record.releases[index].state = .withdrawn
    let release = record.releases[index]
    if record.forced == release.number { record.forced = nil }
    if record.experiment?.arms.contains(where: { $0.release == release.number }) == true { record.experiment = nil }
    models[model] = record
    let kept = Set(
      models.values.flatMap(\.releases).filter { $0.state != .withdrawn }.flatMap(\.variants).map(\.tree))
    for variant in release.variants where !kept.contains(variant.tree) { blocked[variant.tree] = reason }
    return release
  }

  /// Makes all devices use one release; nil ends this.
  mutating func force(_ model: String, _ number: Int?) throws {
    var record = try record(of: model)
    record.forced = try number.map { number in
      let release = record.releases[try Self.index(number, model, record)]
      guard release.state != .withdrawn else { throw Self.withdrawn(release, model) }
      return release.number
    }
    models[model] = record
  }

  /// Makes devices use the baseline of a model, or of all models if nil. Without a reason, this ends the kill switch.
  mutating func kill(_ model: String?, reason: String?) throws {
    let killed = reason.map { ReleaseManifest.KillSwitch(reason: $0) }
    if let model {
      var record = try record(of: model)
      record.killSwitch = killed
      models[model] = record
    } else {
      killSwitch = killed
    }
  }

  /// Begins an experiment with releases of a model; nil ends it.
  mutating func begin(_ experiment: Experiment?, of model: String) throws {
    var record = try record(of: model)
    for arm in experiment?.arms ?? [] {
      let release = record.releases[try Self.index(arm.release, model, record)]
      guard release.state != .withdrawn else { throw Self.withdrawn(release, model) }
    }
    record.experiment = experiment
    models[model] = record
  }

  static func withdrawn(_ release: Release, _ model: String) -> DeliveryError {
    DeliveryError(.cannotPublish, "release \(release.number) of '\(model)' was taken back; add it anew")
  }

  private func record(of model: String) throws -> ModelRecord {
    guard let record = models[model] else {
      throw DeliveryError(.cannotPublish, "the channel '\(channel)' has no model '\(model)'")
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
