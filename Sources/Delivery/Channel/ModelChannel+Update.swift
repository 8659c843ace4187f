import CoreMLRuntime
import Foundation

extension ModelChannel {
  func updateOnce() async throws -> ChannelUpdate {
    // Another process may be updating and leave nothing to do. The lock only avoids duplicate work; correctness does
    // not depend on it.
    let lock = FileLock(core.files.state.appending(path: "update.lock"), patience: 60)
    defer { withExtendedLifetime(lock) {} }
    core.heal()
    let check = try await check()
    var update = ChannelUpdate(check: check, failures: check.missing)
    update.switches = check.switches
    for (model, error) in check.missing { core.tell(error, model: model) }
    let units = UpdateUnit.all(of: check)
    // A unit with an earlier trial during which the process ended is tried last, so that it does not block the other
    // updates.
    let isSuspect = units.map { core.isSuspect($0) }
    let sideBySide = zip(units, isSuspect).filter { !$1 }.map(\.0)
    var later = try await install(sideBySide, &update)
    later += zip(units, isSuspect).filter(\.1).map(\.0)
    for unit in later {
      try Task.checkCancellation()
      let tried = try await fetchAndTry(unit, alone: true)
      try finish(tried, &update)
    }
    core.sweep()
    try await rebase()
    return update
  }

  /// Fetches the units one after the other, and tries up to `TrialPolicy.sideBySide` of them concurrently.
  ///
  /// - Returns: the units that exceeded their share of memory or were killed. They must be tried alone.
  private func install(_ units: [UpdateUnit], _ update: inout ChannelUpdate) async throws -> [UpdateUnit] {
    let most = try core.options.trials.settled().sideBySide
    let start = update
    let progress = await withTaskGroup(of: Result<TriedUnit, any Error>.self) { group in
      var (progress, running) = (Progress(update: start), 0)
      for unit in units {
        if running >= most, let result = await group.next() {
          running -= 1
          take(result, &progress, isShared: most > 1)
        }
        guard progress.failure == nil else { break }
        do {
          try Task.checkCancellation()
          let (fetched, core) = (try await fetch(unit), core)
          group.addTask(executorPreference: TrialExecutor.shared) {
            Result { try core.tryOut(fetched, alone: most == 1) }
          }
          running += 1
        } catch let error as UnitFailure {
          take(.success(TriedUnit(unit: unit, failure: error)), &progress, isShared: false)
        } catch {
          progress.failure = error
        }
      }
      if progress.failure != nil { group.cancelAll() }
      for await result in group { take(result, &progress, isShared: most > 1) }
      return progress
    }
    update = progress.update
    if let failure = progress.failure { throw failure }
    return progress.later
  }

  /// What `install` has achieved so far. `later` has the units that must be tried alone.
  private struct Progress: Sendable {
    var update: ChannelUpdate
    var later: [UpdateUnit] = []
    /// The error that stops further trials.
    var failure: (any Error)?
  }

  private func take(_ result: Result<TriedUnit, any Error>, _ progress: inout Progress, isShared: Bool) {
    do {
      let tried = try result.get()
      if isShared, let error = tried.failure?.error, [.trialOutOfMemory, .trialKilled].contains(error.code) {
        progress.later.append(tried.unit)
      } else {
        try finish(tried, &progress.update)
      }
    } catch {
      progress.failure = progress.failure ?? error
    }
  }

  private func fetchAndTry(_ unit: UpdateUnit, alone: Bool) async throws -> TriedUnit {
    do {
      let (fetched, core) = (try await fetch(unit), core)
      let task = Task(executorPreference: TrialExecutor.shared) { try core.tryOut(fetched, alone: alone) }
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch let failure as UnitFailure {
      return TriedUnit(unit: unit, failure: failure)
    }
  }

  /// Switches to a unit that passed its trials; otherwise blocks the unit and reports its failure.
  private func finish(_ tried: TriedUnit, _ update: inout ChannelUpdate) throws {
    if let failure = tried.failure {
      if let release = failure.release, let variant = failure.variant {
        try core.block(tried.unit, release, variant, of: failure.model, failure.error)
      }
      for offer in tried.unit.offers { update.failures[offer.model] = failure.error }
      core.tell(failure.error, model: failure.model)
      return
    }
    for item in tried.items where item.isNew {
      item.fetch.discard(item.variant)
      core.events.tell(.installed(model: item.model, release: item.release.number))
    }
    defer { withExtendedLifetime(tried.leases) {} }
    do { update.add(try core.switchTo(tried.unit.standing(tried.items, activated: core.options.now()))) } catch {
      let failure = error as? DeliveryError ?? DeliveryError(.unwritable, "\(error)")
      for offer in tried.unit.offers { update.failures[offer.model] = failure }
      core.tell(failure, model: tried.unit.offers.first?.model)
    }
  }

  // MARK: fetching

  /// Fetches what a unit needs and the store lacks, into private staging folders.
  ///
  /// - Throws: `UnitFailure`, `CancellationError`.
  private func fetch(_ unit: UpdateUnit) async throws -> FetchedUnit {
    var items: [FetchedUnit.Item] = []
    for (model, release, variant) in unit.wanted {
      do { items.append(try await fetch(release, variant, of: model)) } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw UnitFailure(model: model, release: release, variant: variant, error)
      }
    }
    return FetchedUnit(unit: unit, items: items)
  }

  private func fetch(_ release: Release, _ variant: Variant, of model: String) async throws -> FetchedUnit.Item {
    let core = core
    let fetch = PayloadFetch(
      release, of: model, hosts: core.options.hosts, downloader: downloader, downloads: core.files.downloads
    ) { core.events.tell($0) }
    let folder = try core.store.stagingFolder()
    var request = ModelInstaller.Request()
    (request.expected, request.origin, request.activates) = (variant.tree, .fetched, false)
    request.key = core.options.key(of: model)
    let golden = folder.url.appending(path: "golden", directoryHint: .isDirectory)
    try await fetch.fetch(variant.golden.flatMap { [$0.inputs, $0.outputs] }, in: golden)
    request.golden = variant.golden.map { test in
      GoldenFiles(
        inputs: golden.appending(path: test.inputs.path), outputs: golden.appending(path: test.outputs.path),
        absoluteTolerance: test.absoluteTolerance, relativeTolerance: test.relativeTolerance)
    }
    var item = FetchedUnit.Item(
      model: model, release: release, variant: variant, staged: nil, folder: folder, request: request, fetch: fetch)
    if try core.store.integrity.present(variant.tree) != nil { return item }
    let tree = folder.url.appending(path: "tree", directoryHint: .isDirectory)
    let staged = tree.appending(
      path: variant.form.isFile ? TreeDigest.fileName : "model.\(variant.form.rawValue)",
      directoryHint: variant.form.isFile ? .notDirectory : .isDirectory)
    let root = variant.form.isFile ? tree : staged
    try DeliveryDirectories.makeFolder(root)
    let bases = try core.bases(for: variant, of: model)
    defer { withExtendedLifetime(bases.leases) {} }
    try await fetch.make(variant, from: bases.bases, in: root)
    try Task.checkCancellation()
    item.staged = staged
    return item
  }
}
