import Foundation

/// Models trained on this device, in addition to the publisher's models that they were trained from.
struct PersonalVersions: Sendable {
  let records: ChannelRecords
  let cache: CompiledModelCache
  var models: PersonalModels { PersonalModels(store: records.store) }

  /// Returns the record of a model of the channel.
  func record(of model: String) throws -> PersonalRecord { try models.record(of: records.storeName(of: model)) }

  /// Returns the personalised models of a name that may be used, best first.
  ///
  /// A model is excluded if it is blocked, or if its base is blocked or revoked by the publisher. A fault of the base
  /// also affects the models trained from it.
  func usable(_ model: String, _ state: InstalledState) -> [PersonalModel] {
    let record: PersonalRecord
    do { record = try self.record(of: model) } catch {
      records.log.report(error, model: model)
      return []
    }
    if record.models.isEmpty { return [] }
    let withdrawn = Set(state[model].withdrawnBases ?? [])
    return record.models.filter { personal in
      [personal.tree, personal.base].allSatisfy { records.block(of: $0, model) == nil }
        && !withdrawn.contains(personal.base) && !isSetAside(personal, model, state)
    }
  }

  /// Under the policy `discard`, a personalised model is not used while its base is not in use. It is kept, because the
  /// base may return.
  private func isSetAside(_ personal: PersonalModel, _ model: String, _ state: InstalledState) -> Bool {
    guard case .discard = records.options.rebase[model] ?? .keep else { return false }
    do { return try base(of: model, state)?.tree != personal.base } catch {
      records.log.report(error, model: model)
      return true
    }
  }

  /// Returns the model that training on this device starts from: the channel's current model, or the baseline.
  func base(of model: String, _ state: InstalledState) throws -> (tree: String, version: ModelVersion)? {
    if let current = state[model].current { return (current.tree, .release(current)) }
    return try records.options.baselines[model].map { (try cache.digest(of: $0), .baseline) }
  }

  /// Returns the bases of personalised models that a manifest revokes; nil if there are none.
  func withdrawnBases(of model: String, _ isRevoked: (InstalledRelease) -> Bool) -> [String]? {
    let models = (try? record(of: model).models) ?? []
    let bases = models.filter { personal in
      guard let release = personal.release else { return false }
      return isRevoked(
        InstalledRelease(release: release, version: "", variant: "", tree: personal.base, activated: personal.trained))
    }
    return bases.isEmpty ? nil : Set(bases.map(\.base)).sorted()
  }

  /// Blocks a personalised model, so that the one before it or its base is used.
  func block(_ model: String, _ personal: PersonalModel, _ reason: RollbackReason, _ message: String) {
    do {
      let isNew = try records.health(of: model).block(
        personal.tree,
        ModelBlock(
          reason: reason, message: message, release: nil, date: records.options.now(),
          runtimeVersion: records.options.runtime))
      if isNew { records.log.send(.rolledBack(model: model, release: nil, reason: reason)) }
    } catch { records.log.report(error, model: model) }
  }
}
