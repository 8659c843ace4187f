import Foundation

/// Evaluates the health records of a new model. The model is proven, is rolled back, or stays under observation.
struct Probation: Sendable {
  enum Judgement { case stays, proven, rolledBack }

  let records: ChannelRecords
  let rollback: Rollback
  let personal: PersonalVersions
  let names: StoreNames
  let removal: ModelRemoval
  private var options: ChannelOptions { records.options }

  /// Evaluates the counts of a model, and proves it or rolls it back if they suffice for that.
  @discardableResult
  func judge(_ model: String, _ version: ModelVersion) -> Judgement {
    let health = records.health(of: model)
    guard let digest = version.tree else { return .stays }
    if health.isProven(digest) { return .proven }
    if records.block(of: digest, model) != nil { return .rolledBack }
    let counts = health.counts(of: digest)
    let reference = health.counts(of: comparison(model, before: version))
    if let reason = options.health.fault(of: counts, comparedWith: reference) {
      let words =
        "\(counts.loadFailures) loads and \(counts.predictionFailures) predictions failed, \(counts.crashes) processes died, "
        + "\(counts.predictions) predictions were good"
      switch version {
      case .baseline: return .stays
      case .release(let release):
        guard rollback.rollBack(model, release, reason, words) else {
          rollback.reportKept(model, release, reason, words)
          return .stays
        }
      case .personal(let trained): personal.block(model, trained, reason, words)
      }
      return .rolledBack
    }
    guard options.health.isProof(counts, since: since(version), now: options.now()) else { return .stays }
    do {
      switch version {
      case .baseline: return .stays
      case .release(let release): try prove(model, release)
      case .personal(let trained): try prove(model, trained)
      }
    } catch { records.log.report(error, model: model) }
    return .proven
  }

  /// Returns the health store's key of the model that a new one is compared with: the newest proven earlier release, or
  /// else the baseline. A personalised model is compared with its base.
  private func comparison(_ model: String, before version: ModelVersion) -> String {
    if case .personal(let trained) = version {
      return trained.release == nil ? ChannelRecords.baseline : trained.base
    }
    let health = records.health(of: model)
    return records.installedState()[model].earlier.first { health.isProven($0.tree) }?.tree ?? ChannelRecords.baseline
  }

  /// Returns the reason to roll back the release in use, if there is one.
  func fault(of counts: HealthCounts, _ current: InstalledRelease?, _ model: String) -> RollbackReason? {
    guard let current else { return nil }
    let before = records.health(of: model).counts(of: comparison(model, before: .release(current)))
    return options.health.fault(of: counts, comparedWith: before)
  }

  private func since(_ version: ModelVersion) -> Timestamp {
    switch version {
    case .baseline: options.now()
    case .release(let release): release.activated
    case .personal(let trained): trained.trained
    }
  }

  // MARK: proof

  private func prove(_ model: String, _ release: InstalledRelease) throws {
    let health = records.health(of: model)
    let isNew = try health.prove(release.tree)
    health.trim(release.tree)
    try dropPredecessors(of: model)
    if isNew { records.log.send(.proven(model: model, release: release.release)) }
  }

  /// Marks a personalised model as proven. Its base is marked as proven, too, because a base that is not in use
  /// collects no health records of its own.
  private func prove(_ model: String, _ trained: PersonalModel) throws {
    let health = records.health(of: model)
    _ = try health.prove(trained.tree)
    health.trim(trained.tree)
    try personal.models.settle(records.storeName(of: model), on: trained.tree)
    if let current = records.installedState()[model].current, current.tree == trained.base {
      try prove(model, current)
    }
  }

  /// Drops the predecessors of a proven model once all models of its group are proven. Keeps up to
  /// ``ChannelOptions/keptModels`` proven predecessors of each. Every update repeats this step, because a process may
  /// end between the proof and this step.
  private func dropPredecessors(of model: String) throws {
    let members = records.installedState().group(of: model)
    let kept = max(options.keptModels, 0)
    func isSettled(_ member: String, _ state: InstalledState) -> Bool {
      state[member].current.map { records.health(of: member).isProven($0.tree) } ?? true
    }
    let (before, after) = try records.files.change { state in
      guard members.allSatisfy({ isSettled($0, state) }) else { return }
      for member in members where state[member].current != nil && !state[member].earlier.isEmpty {
        let health = records.health(of: member)
        state[member].earlier = Array(state[member].earlier.filter { health.isProven($0.tree) }.prefix(kept))
      }
    }
    for member in members where before[member] != after[member] {
      names.update(member, to: after)
      let kept = Set(after.digests(of: member))
      removal.remove(before.digests(of: member).filter { !kept.contains($0) }, of: member)
    }
  }

  /// Completes the steps after a proof, if a process ended before it could take them.
  func finishProofs(of model: String, _ current: InstalledRelease?) {
    let health = records.health(of: model)
    do {
      if let trained = try personal.record(of: model).models.first, health.isProven(trained.tree) {
        try prove(model, trained)
      }
      if let current, health.isProven(current.tree) { try dropPredecessors(of: model) }
    } catch { records.log.report(error, model: model) }
  }
}
