import Foundation

/// Models trained on this device, in addition to the publisher's models that they were trained from.
extension ChannelCore {
  var personals: PersonalModels { PersonalModels(store: store) }

  /// Returns the personalised models of a name that may be used, best first.
  ///
  /// A model is excluded if it is blocked, or if its base is blocked or revoked by the publisher. A fault of the base
  /// also affects the models trained from it.
  func personalised(_ model: String, _ standing: InstalledState) -> [PersonalModel] {
    let record: PersonalRecord
    do { record = try personals.record(of: name(of: model)) } catch {
      tell(error, model: model)
      return []
    }
    if record.models.isEmpty { return [] }
    let (book, withdrawn) = (files.book(of: model), Set(standing[model].withdrawnBases ?? []))
    return record.models.filter { personal in
      [personal.tree, personal.base].allSatisfy { book.block(of: $0, runtime: options.runtime) == nil }
        && !withdrawn.contains(personal.base) && !isSetAside(personal, model, standing)
    }
  }

  /// Under the policy `discard`, a personalised model is not used while its base is not in use. It is kept, because the
  /// base may return.
  private func isSetAside(_ personal: PersonalModel, _ model: String, _ standing: InstalledState) -> Bool {
    guard case .discard = options.rebase[model] ?? .keep else { return false }
    do { return try base(of: model, standing)?.tree != personal.base } catch {
      tell(error, model: model)
      return true
    }
  }

  /// Returns the model that training on this device starts from: the channel's current model, or the baseline.
  func base(of model: String, _ standing: InstalledState) throws -> (tree: String, version: ModelVersion)? {
    if let current = standing[model].current { return (current.tree, .release(current)) }
    return try options.baselines[model].map { (try cache.digest(of: $0), .baseline) }
  }

  /// Returns the bases of personalised models that a manifest revokes; nil if there are none.
  func withdrawnBases(of model: String, _ isTakenBack: (InstalledRelease) -> Bool) -> [String]? {
    let models = (try? personals.record(of: name(of: model)).models) ?? []
    let bases = models.filter { personal in
      guard let release = personal.release else { return false }
      return isTakenBack(
        InstalledRelease(release: release, version: "", variant: "", tree: personal.base, activated: personal.trained))
    }
    return bases.isEmpty ? nil : Set(bases.map(\.base)).sorted()
  }

  /// Blocks a personalised model, so that the one before it or its base is used.
  func leave(_ model: String, _ personal: PersonalModel, _ reason: RollbackReason, _ message: String) {
    do {
      let isNew = try files.book(of: model).block(
        personal.tree,
        ModelBlock(
          reason: reason, message: message, release: nil, date: options.now(), runtimeVersion: options.runtime))
      if isNew { events.tell(.rolledBack(model: model, release: nil, reason: reason)) }
    } catch { tell(error, model: model) }
  }

  /// Marks a personalised model as proven. Its base is marked as proven, too, because a base that is not in use
  /// collects no health records of its own.
  func prove(_ model: String, _ personal: PersonalModel) throws {
    let book = files.book(of: model)
    _ = try book.prove(personal.tree)
    book.trim(personal.tree)
    try personals.settle(name(of: model), on: personal.tree)
    if let current = standing()[model].current, current.tree == personal.base { try prove(model, current) }
  }
}
