import Foundation

/// Evaluates the health records of a new model. The model is proven, is rolled back, or stays under observation.
extension ChannelCore {
  enum Judgement { case stays, proven, rolledBack }

  /// Evaluates the counts of a model, and proves it or rolls it back if they suffice for that.
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

  /// Returns the health store's key of the model that a new one is compared with: the newest proven earlier release, or
  /// else the baseline. A personalised model is compared with its base.
  private func good(_ model: String, before version: ModelVersion) -> String {
    if case .personal(let personal) = version { return personal.release == nil ? Self.baseline : personal.base }
    let book = files.book(of: model)
    return standing()[model].earlier.first { book.isProven($0.tree) }?.tree ?? Self.baseline
  }

  /// Returns the reason to roll back the release in use, if there is one.
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

  /// The health store's key for the baseline.
  static let baseline = "baseline"

  func prove(_ model: String, _ release: InstalledRelease) throws {
    let book = files.book(of: model)
    let isNew = try book.prove(release.tree)
    book.trim(release.tree)
    try settle(model)
    if isNew { events.tell(.proven(model: model, release: release.release)) }
  }

  /// Removes releases that are blocked, leaving or refused from the installed state of one model. If the current
  /// release is one of them, `fallback` selects its replacement.
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
