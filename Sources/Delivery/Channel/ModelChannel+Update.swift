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
    var progress = UpdateProgress(core: core, update: update)
    for (model, error) in check.missing { core.log.report(error, model: model) }
    let units = UpdateUnit.all(of: check)
    // A unit with an earlier trial during which the process ended is tried last, so that it does not block the other
    // updates.
    let isSuspect = units.map { core.trials.isSuspect($0) }
    let sideBySide = zip(units, isSuspect).filter { !$1 }.map(\.0)
    try await install(sideBySide, &progress)
    let later = progress.later + zip(units, isSuspect).filter(\.1).map(\.0)
    for unit in later {
      try Task.checkCancellation()
      let tried = try await fetchAndTry(unit, alone: true)
      try progress.finish(tried)
    }
    core.sweep()
    try await rebase()
    return progress.update
  }

  /// Fetches the units one after the other, and tries up to `TrialPolicy.sideBySide` of them concurrently.
  private func install(_ units: [UpdateUnit], _ progress: inout UpdateProgress) async throws {
    let most = try core.options.trials.settled().sideBySide
    let start = progress
    progress = await withTaskGroup(of: Result<TriedUnit, any Error>.self) { group in
      var (progress, running) = (start, 0)
      for unit in units {
        if running >= most, let result = await group.next() {
          running -= 1
          progress.take(result, isShared: most > 1)
        }
        guard progress.failure == nil else { break }
        do {
          try Task.checkCancellation()
          let (fetched, core) = (try await fetch(unit), core)
          group.addTask(executorPreference: TrialExecutor.shared) {
            Result { try core.trials.tryOut(fetched, alone: most == 1) }
          }
          running += 1
        } catch let error as UnitFailure {
          progress.take(.success(TriedUnit(unit: unit, failure: error)), isShared: false)
        } catch {
          progress.failure = error
        }
      }
      if progress.failure != nil { group.cancelAll() }
      for await result in group { progress.take(result, isShared: most > 1) }
      return progress
    }
    if let failure = progress.failure { throw failure }
  }

  private func fetchAndTry(_ unit: UpdateUnit, alone: Bool) async throws -> TriedUnit {
    do {
      let (fetched, core) = (try await fetch(unit), core)
      let task = Task(executorPreference: TrialExecutor.shared) { try core.trials.tryOut(fetched, alone: alone) }
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch let failure as UnitFailure {
      return TriedUnit(unit: unit, failure: failure)
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
    ) { core.log.send($0) }
    var item = FetchedUnit.Item(
      model: model, release: release, variant: variant, folder: try core.store.stagingFolder(),
      key: core.options.key(of: model), fetch: fetch)
    try await fetch.fetch(variant.golden.flatMap { [$0.inputs, $0.outputs] }, in: item.golden)
    if try core.store.integrity.present(variant.tree) != nil { return item }
    let files = variant.form.isFile ? item.files : item.target
    try DeliveryDirectories.makeFolder(files)
    let bases = try DeltaBases(records: core.records).bases(for: variant, of: model)
    defer { withExtendedLifetime(bases.leases) {} }
    try await fetch.make(variant, from: bases.bases, in: files)
    try Task.checkCancellation()
    item.staged = item.target
    return item
  }
}
