import Foundation

/// Models that were trained on this device, beside those of the publisher that they were made of.
extension ChannelCore {
  var personals: PersonalModels { PersonalModels(store: store) }

  /// The personalised models of a name that may answer, best first.
  ///
  /// Left out is what was found bad here, and what was made of a model that was found bad or that the publisher has taken back: what is
  /// wrong with a model is wrong with what was trained from it.
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

  /// Where the policy is to discard, a model whose base is not in use waits: its base may come back.
  private func isSetAside(_ personal: PersonalModel, _ model: String, _ standing: InstalledState) -> Bool {
    guard case .discard = options.rebase[model] ?? .keep else { return false }
    do { return try base(of: model, standing)?.tree != personal.base } catch {
      tell(error, model: model)
      return true
    }
  }

  /// What a training on this device starts from: the current model of the channel, or the one that came with the software.
  func base(of model: String, _ standing: InstalledState) throws -> (tree: String, version: ModelVersion)? {
    if let current = standing[model].current { return (current.tree, .release(current)) }
    return try options.baselines[model].map { (try cache.digest(of: $0), .baseline) }
  }

  /// Bases of personalised models that a manifest takes back; nil for none.
  func withdrawnBases(of model: String, _ isTakenBack: (InstalledRelease) -> Bool) -> [String]? {
    let models = (try? personals.record(of: name(of: model)).models) ?? []
    let bases = models.filter { personal in
      guard let release = personal.release else { return false }
      return isTakenBack(
        InstalledRelease(release: release, version: "", variant: "", tree: personal.base, activated: personal.trained))
    }
    return bases.isEmpty ? nil : Set(bases.map(\.base)).sorted()
  }

  /// Leaves a personalised model for the one before it, or for what it was made of.
  func leave(_ model: String, _ personal: PersonalModel, _ reason: RollbackReason, _ message: String) {
    do {
      let isNew = try files.book(of: model).block(
        personal.tree,
        ModelBlock(
          reason: reason, message: message, release: nil, date: options.now(), runtimeVersion: options.runtime))
      if isNew { events.tell(.rolledBack(model: model, release: nil, reason: reason)) }
    } catch { tell(error, model: model) }
  }

  /// What was made of a model and has proved itself vouches for that model: it answers in its place, so that nothing else will.
  func prove(_ model: String, _ personal: PersonalModel) throws {
    let book = files.book(of: model)
    _ = try book.prove(personal.tree)
    book.trim(personal.tree)
    try personals.settle(name(of: model), on: personal.tree)
    if let current = standing()[model].current, current.tree == personal.base { try prove(model, current) }
  }
}
