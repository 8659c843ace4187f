import Foundation

/// What becomes of a new model: it proves itself, or it is left.
extension ChannelCore {
  enum Judgement { case stays, proven, rolledBack }

  /// Looks at what was counted of a model that has not proved itself.
  @discardableResult
  func judge(_ model: String, _ version: ModelVersion) -> Judgement {
    let book = files.book(of: model)
    guard let tree = version.tree else { return .stays }
    if book.isProven(tree) { return .proven }
    if book.block(of: tree, runtime: options.runtime) != nil { return .rolledBack }
    let counts = book.counts(of: tree)
    if let reason = options.health.fault(of: counts, comparedWith: book.counts(of: good(model, before: version))) {
      let words =
        "\(counts.loadFailures) loads and \(counts.predictionFailures) predictions failed, \(counts.crashes) processes died, "
        + "\(counts.predictions) predictions were good"
      switch version {
      case .baseline: return .stays
      case .release(let release):
        guard rollBack(model, release, reason, words) else {
          tellKept(model, release, reason, words)
          return .stays
        }
      case .personal(let personal): leave(model, personal, reason, words)
      }
      return .rolledBack
    }
    guard options.health.isProof(counts, since: since(version), now: options.now()) else { return .stays }
    do {
      switch version {
      case .baseline: return .stays
      case .release(let release): try prove(model, release)
      case .personal(let personal): try prove(model, personal)
      }
    } catch { tell(error, model: model) }
    return .proven
  }

  /// What a new model is compared with.
  private func good(_ model: String, before version: ModelVersion) -> String {
    if case .personal(let personal) = version { return personal.release == nil ? Self.baseline : personal.base }
    let book = files.book(of: model)
    return standing()[model].earlier.first { book.isProven($0.tree) }?.tree ?? Self.baseline
  }

  /// What speaks against a release that is in use.
  func fault(of counts: HealthCounts, _ current: InstalledRelease?, _ model: String) -> RollbackReason? {
    guard let current else { return nil }
    let before = files.book(of: model).counts(of: good(model, before: .release(current)))
    return options.health.fault(of: counts, comparedWith: before)
  }

  private func since(_ version: ModelVersion) -> Timestamp {
    switch version {
    case .baseline: options.now()
    case .release(let release): release.activated
    case .personal(let personal): personal.trained
    }
  }

  /// What health is counted under for the model that came with the software.
  static let baseline = "baseline"

  func prove(_ model: String, _ release: InstalledRelease) throws {
    let book = files.book(of: model)
    let isNew = try book.prove(release.tree)
    book.trim(release.tree)
    try settle(model)
    if isNew { events.tell(.proven(model: model, release: release.release)) }
  }

  /// Takes blocked releases out of a standing; `fallback` says what comes back.
  func retreat(
    _ model: String, _ standing: inout InstalledState, leaving: Leaving = [:],
    unless isRefused: (InstalledRelease) -> Bool = { _ in false }
  ) {
    func isOut(_ release: InstalledRelease) -> Bool {
      self.isOut(release, of: model, leaving: leaving) || isRefused(release)
    }
    standing[model].arms.removeAll(where: isOut)
    standing[model].earlier.removeAll(where: isOut)
    guard let current = standing[model].current, isOut(current) else { return }
    let good = fallback(standing[model].earlier, of: model)
    standing[model].current = good.map { standing[model].earlier[$0] }
    standing[model].earlier = good.map { Array(standing[model].earlier[($0 + 1)...]) } ?? []
  }

  func tellSwitch(_ model: String, _ before: InstalledState, _ after: InstalledState) {
    let (from, to) = (before[model].current, after[model].current)
    guard from?.tree != to?.tree else { return }
    events.tell(.switched(model: model, from: from?.release, to: to?.release))
  }
}
