import CoreMLRuntime
import Foundation

/// Installation: compiles and tries fetched models, blocks models that fail, and switches to the others.
///
/// Terms in this file:
/// - unit (`UpdateUnit`): an atomic switch group, models of a channel that switch in one step
/// - arm: a release that an experiment runs concurrently with the current one
/// - tree: a tree digest (`TreeDigest`), which identifies the files of a model
/// - book (`HealthStore`): the health records of one model name, with trials and blocks
/// - mark (`TrialMark`): a file that marks an unfinished trial
/// - standing (`InstalledState`): the installed state, the releases in use on this device
/// - base (`PayloadFetch.Base`): a delta base, an older tree on this device whose files a download can reuse
extension ChannelCore {
  // MARK: trying

  /// Whether a process ended during an earlier trial of one of the unit's models. The model may have crashed it.
  func isSuspect(_ unit: UpdateUnit) -> Bool {
    unit.wanted.contains { !files.book(of: $0.model).trialsCutShort($0.variant.tree).isEmpty }
  }

  /// Compiles a unit's models, tries them and adds them to the store. Stops at the first model that fails, and returns
  /// its failure in the result.
  ///
  /// - Parameter alone: whether no other trial runs concurrently. The trial may then use the whole memory limit instead
  ///   of a share.
  /// - Throws: `CancellationError`.
  func tryOut(_ fetched: FetchedUnit, alone: Bool) throws -> TriedUnit {
    var tried = TriedUnit(unit: fetched.unit)
    for item in fetched.items {
      do {
        try Task.checkCancellation()
        if item.isNew { events.tell(.trying(model: item.model, release: item.release.number)) }
        tried.leases += try tryOut(item, alone: alone)
        tried.items.append(item)
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        tried.failure = UnitFailure(model: item.model, release: item.release, variant: item.variant, error)
        return tried
      }
    }
    return tried
  }

  private func tryOut(_ item: FetchedUnit.Item, alone: Bool) throws -> [ModelLease] {
    let (book, tree) = (files.book(of: item.model), item.variant.tree)
    let ended = book.trialsThatEndedTheirProcess(tree)
    // A trial without a helper process runs in this process, which a faulty model may crash. The model fails after a
    // limited number of crashes.
    guard ended < max(options.health.crashes, 1) else {
      throw DeliveryError(.trialCrashed, "\(ended) processes ended while they tried the model", file: item.model)
    }
    let mark = TrialMark(in: book.folder(of: tree))
    defer { withExtendedLifetime(mark) {} }
    return try TrialMark.$current.withValue(mark) { try tryOut(item, alone: alone, book) }
  }

  private func tryOut(_ item: FetchedUnit.Item, alone: Bool, _ book: HealthStore) throws -> [ModelLease] {
    let tree = item.variant.tree
    var request = item.request
    request.sharesMemory = !alone
    // The leases of the predecessor must last until the trial has ended.
    let fits = predecessor(of: item.model)
    defer { withExtendedLifetime(fits) {} }
    request.fits = fits.map { ($0.url, $0.identity) }
    do {
      let lease: ModelLease
      if let stored = try store.integrity.present(tree) {
        lease = try store.lease(stored.digest)
        try installer.tryOut(stored.url, stored.digest, request)
      } else if let staged = item.staged {
        lease = try store.lease(installer.install(staged: staged, as: name(of: item.model), request).digest)
      } else {
        throw DeliveryError(.notInStore, "the model was removed from the store while it was to be used again")
      }
      if !request.golden.isEmpty { try book.noteTried(tree) }
      book.forgetTrials(of: tree)
      return [lease]
    } catch {
      // A failed trial makes the marks of earlier trials irrelevant. A cancelled trial has no result.
      if !(error is CancellationError) { book.forgetTrials(of: tree) }
      throw error
    }
  }

  /// Returns the model whose inputs and outputs a new model must be compatible with: the first candidate that this
  /// device would use now. Nil if ``ChannelOptions/keepsInterface`` is false, or if that model cannot be loaded.
  ///
  /// - Returns: the URL of the compiled model, its digest, and the leases that keep it on disk.
  private func predecessor(of model: String) -> (url: URL, identity: String, leases: [ModelLease])? {
    guard options.keepsInterface, let version = candidates(model, arm: nil, standing()).first,
      // A current model that cannot be loaded is not used as a reference.
      let (url, leases) = try? place(model, version)
    else { return nil }
    let identity: String? =
      switch version {
      case .baseline: options.baselines[model].flatMap { try? cache.digest(of: $0) }
      default: version.tree
      }
    return identity.map { (url, $0, leases) }
  }

  // MARK: failures

  private static let reasons: [DeliveryError.Code: RollbackReason] = [
    .failsSmokeTest: .failsSmokeTest, .doesNotLoad: .doesNotLoad, .doesNotPredict: .doesNotPredict,
    .otherInterface: .otherInterface, .trialCrashed: .crashed, .trialKilled: .crashed, .trialTimedOut: .timedOut,
    .trialOutOfMemory: .outOfMemory,
  ]
  /// Reasons that a failed disk, memory pressure or an overloaded device can cause as well. They block a model only
  /// after repeated failures.
  private static let uncertain: Set<RollbackReason> = [
    .doesNotLoad, .doesNotPredict, .crashed, .timedOut, .outOfMemory,
  ]

  /// Blocks a failed model on this device, so that not every update fetches it again. The other new releases of its
  /// unit are blocked, too, because they cannot switch without it.
  ///
  /// An error that is not in `reasons`, such as a failed download, blocks nothing. One of the `uncertain` reasons is
  /// recorded as a failed load; it blocks after `HealthPolicy.loadFailures` failed loads.
  func block(
    _ unit: UpdateUnit, _ release: Release, _ variant: Variant, of model: String, _ error: DeliveryError
  ) throws {
    guard let reason = Self.reasons[error.code] else { return }
    if Self.uncertain.contains(reason) {
      let book = files.book(of: model)
      let recorder = book.recorder(of: variant.tree)
      recorder.begin()
      recorder.endLoad(.failed)
      guard book.counts(of: variant.tree).loadFailures >= options.health.loadFailures else { return }
    }
    func block(_ model: String, _ release: Release, _ tree: String, _ message: String) throws {
      let block = ModelBlock(
        reason: reason, message: message, release: release.number, date: options.now(),
        runtimeVersion: options.runtime)
      if try files.book(of: model).block(tree, block) {
        events.tell(.rolledBack(model: model, release: release.number, reason: reason))
      }
    }
    try block(model, release, variant.tree, error.message)
    for other in unit.offers where other.model != model {
      guard let (release, variant) = other.chosen, variant.tree != other.current?.tree else { continue }
      try block(other.model, release, variant.tree, "it switches together with '\(model)': \(error.message)")
    }
  }

  // MARK: delta bases and switching

  /// Returns the delta bases for a variant: trees on this device that may share files with it. The trees that the
  /// variant has deltas from come first, then installed releases, then the baseline. The leases keep the trees in the
  /// store.
  func bases(for variant: Variant, of model: String) throws -> (bases: [PayloadFetch.Base], leases: [ModelLease]) {
    var bases: [PayloadFetch.Base] = []
    var leases: [ModelLease] = []
    for tree in variant.deltas.map(\.from) + standing().trees(of: model)
    where !bases.contains(where: { $0.tree == tree }) {
      // An encrypted model shares no bytes with its plain form or with another encryption of the same model.
      guard let lease = try? store.lease(tree), let stored = try? store.model(tree), stored.form != .encrypted
      else { continue }
      leases.append(lease)
      bases.append(.init(folder: stored.form == .mlmodel ? store.folder(of: tree) : stored.url, tree: tree))
    }
    if let baseline = options.baselines[model], baseline.pathExtension == variant.form.rawValue {
      // The digest serves only to find a delta. A bundled `.mlmodel` file has another name than the file in the
      // published tree, so its digest would match no delta.
      let isFile = variant.form.isFile
      let tree = variant.deltas.isEmpty || isFile ? nil : try? TreeDigest.digest(of: baseline)
      bases.append(.init(folder: baseline, tree: tree))
    }
    return (bases, leases)
  }

  /// Switches models atomically.
  ///
  /// - Parameter installed: for each model to change, by name, the release to use (nil for the baseline) and the
  ///   experiment arms to run concurrently with it. Models that are not in the dictionary stay as they are.
  /// - Returns: the models whose current release has another tree than before, sorted by name.
  func switchTo(
    _ installed: [String: (current: InstalledRelease?, arms: [InstalledRelease])]
  ) throws -> [ChannelUpdate.Switch] {
    // The names in the store protect models from removal. They are set before the installed state refers to the models,
    // because the process may end at any point.
    for (model, (current, arms)) in installed {
      for release in [current].compactMap({ $0 }) + arms {
        try store.setName("\(name(of: model)):release-\(release.release)", to: release.tree)
      }
    }
    let (before, after) = try files.change { standing in
      for (model, (current, arms)) in installed {
        var entry = standing[model]
        if entry.current?.tree != current?.tree {
          let left = [entry.current].compactMap { $0 } + entry.earlier
          let book = files.book(of: model)
          // A switch to the baseline keeps no earlier releases.
          entry.earlier =
            current == nil
            ? [] : InstalledState.earlier(of: left.filter { $0.tree != current?.tree }) { book.isProven($0.tree) }
          entry.current = current
        } else if let current, let was = entry.current {
          // The same model under another release number: the original activation time is kept.
          entry.current = InstalledRelease(
            release: current.release, version: current.version, variant: current.variant, tree: current.tree,
            activated: was.activated)
        }
        entry.arms = arms
        standing[model] = entry
      }
    }
    for model in installed.keys.sorted() {
      keep(model, as: after)
      tellSwitch(model, before, after)
    }
    refresh(installed.keys.sorted())
    return installed.keys.sorted().compactMap { model in
      let (from, to) = (before[model].current, after[model].current)
      return from?.tree == to?.tree ? nil : .init(model: model, from: from, to: to)
    }
  }
}
