import CoreMLRuntime
import Foundation

extension ModelChannel {
  func updateOnce() async throws -> ChannelUpdate {
    // Another process that is at it may leave nothing to do. Nothing but work depends on the lock.
    let lock = FileLock(core.files.state.appending(path: "update.lock"), patience: 60)
    defer { withExtendedLifetime(lock) {} }
    let check = try await check()
    var update = ChannelUpdate(check: check)
    for unit in Self.units(check) {
      try Task.checkCancellation()
      do { update.switches += try await install(unit) } catch let failure as UnitFailure {
        for offer in unit { update.failures[offer.model] = failure.error }
        core.tell(failure.error, model: failure.model)
      }
    }
    core.sweep()
    try await rebase()
    return update
  }

  /// What is to be installed, in groups that switch together.
  private static func units(_ check: ChannelCheck) -> [[ChannelCheck.Offer]] {
    var rest = check.offers.filter(\.isUpdate)
    var units: [[ChannelCheck.Offer]] = []
    while let first = rest.first {
      var names: Set<String> = [first.model]
      while true {
        let more = check.manifest.collections.values.filter { !names.isDisjoint(with: $0) }.flatMap { $0 }
        if names.isSuperset(of: more) { break }
        names.formUnion(more)
      }
      units.append(rest.filter { names.contains($0.model) })
      rest.removeAll { names.contains($0.model) }
    }
    return units
  }

  private struct UnitFailure: Error {
    let model: String
    let error: DeliveryError
  }

  private func install(_ unit: [ChannelCheck.Offer]) async throws -> [ChannelUpdate.Switch] {
    let activated = core.options.now()
    var installed: [String: (current: InstalledRelease?, arms: [InstalledRelease])] = [:]
    var leases: [ModelLease] = []
    for offer in unit {
      var releases: [InstalledRelease] = []
      var chosen: [(release: Release, variant: Variant)] = offer.arms
      if case .release(let release, let variant) = offer.choice.outcome { chosen.insert((release, variant), at: 0) }
      for (release, variant) in chosen {
        do { leases.append(try await install(release, variant, of: offer)) } catch is CancellationError {
          throw CancellationError()
        } catch {
          let failure = error as? DeliveryError ?? DeliveryError(.doesNotLoad, "\(error)")
          try block(unit, release, variant, of: offer, failure)
          throw UnitFailure(model: offer.model, error: failure)
        }
        releases.append(
          InstalledRelease(
            release: release.number, version: release.version, variant: variant.name, tree: variant.tree,
            activated: activated))
      }
      let hasRelease = if case .release = offer.choice.outcome { true } else { false }
      installed[offer.model] = (hasRelease ? releases.first : nil, Array(releases.dropFirst(hasRelease ? 1 : 0)))
    }
    defer { withExtendedLifetime(leases) {} }
    return try core.switchTo(installed)
  }

  /// What does not work on this device is not fetched again at every check; neither are those that would have switched with it.
  private func block(
    _ unit: [ChannelCheck.Offer], _ release: Release, _ variant: Variant, of offer: ChannelCheck.Offer,
    _ error: DeliveryError
  ) throws {
    let reasons: [DeliveryError.Code: RollbackReason] = [
      .failsSmokeTest: .failsSmokeTest, .doesNotLoad: .doesNotLoad, .doesNotPredict: .doesNotPredict,
      .otherInterface: .otherInterface,
    ]
    guard let reason = reasons[error.code] else { return }
    if [.doesNotLoad, .doesNotPredict].contains(reason) {
      // A disk or a memory that failed may be to blame: it gets another chance.
      let book = core.files.book(of: offer.model)
      let recorder = book.recorder(of: variant.tree)
      recorder.begin()
      recorder.endLoad(.failed)
      guard book.counts(of: variant.tree).loadFailures >= core.options.health.loadFailures else { return }
    }
    func block(_ model: String, _ release: Release, _ tree: String, _ message: String) throws {
      let block = ModelBlock(
        reason: reason, message: message, release: release.number, date: core.options.now(),
        runtimeVersion: core.options.runtimeVersion)
      if try core.files.book(of: model).block(tree, block) {
        core.events.tell(.rolledBack(model: model, release: release.number, reason: reason))
      }
    }
    try block(offer.model, release, variant.tree, error.message)
    for other in unit where other.model != offer.model {
      guard case .release(let release, let variant) = other.choice.outcome, variant.tree != other.current?.tree else {
        continue
      }
      try block(other.model, release, variant.tree, "it switches together with '\(offer.model)': \(error.message)")
    }
  }

  /// Has a variant in the store, compiled and tried, and gives a lease on it.
  private func install(_ release: Release, _ variant: Variant, of offer: ChannelCheck.Offer) async throws -> ModelLease
  {
    let core = core
    let fetch = PayloadFetch(
      release, of: offer.model, hosts: core.options.hosts, downloader: downloader, downloads: core.files.downloads
    ) { core.events.tell($0) }
    let folder = try core.store.stagingFolder()
    defer { withExtendedLifetime(folder) {} }
    var request = ModelInstaller.Request()
    (request.expected, request.origin, request.activates) = (variant.tree, .fetched, false)
    request.key = core.options.key(of: offer.model)
    let golden = folder.url.appending(path: "golden", directoryHint: .isDirectory)
    try await fetch.fetch(variant.golden.flatMap { [$0.inputs, $0.outputs] }, in: golden)
    request.golden = variant.golden.map { test in
      GoldenFiles(
        inputs: golden.appending(path: test.inputs.path), outputs: golden.appending(path: test.outputs.path),
        absoluteTolerance: test.absoluteTolerance, relativeTolerance: test.relativeTolerance)
    }
    if let stored = try core.store.present(variant.tree) {
      let lease = try core.store.lease(stored.digest)
      try core.installer.tryOut(stored.url, stored.digest, request)
      return lease
    }
    let tree = folder.url.appending(path: "tree", directoryHint: .isDirectory)
    let model = tree.appending(
      path: variant.form.isFile ? TreeDigest.fileName : "model.\(variant.form.rawValue)",
      directoryHint: variant.form.isFile ? .notDirectory : .isDirectory)
    let root = variant.form.isFile ? tree : model
    try Places.makeFolder(root)
    let bases = try core.bases(for: variant, of: offer.model)
    defer { withExtendedLifetime(bases.leases) {} }
    try await fetch.make(variant, from: bases.bases, in: root)
    try Task.checkCancellation()
    let stored = try core.installer.install(staged: model, as: core.name(of: offer.model), request)
    let lease = try core.store.lease(stored.digest)
    try core.requireInterface(stored, of: offer.model)
    fetch.discard(variant)
    core.events.tell(.installed(model: offer.model, release: release.number))
    return lease
  }
}

extension ChannelCore {
  /// Older trees that a variant may share files with, those that it has deltas from first.
  func bases(for variant: Variant, of model: String) throws -> (bases: [PayloadFetch.Base], leases: [ModelLease]) {
    var bases: [PayloadFetch.Base] = []
    var leases: [ModelLease] = []
    for tree in variant.deltas.map(\.from) + standing().trees(of: model)
    where !bases.contains(where: { $0.tree == tree }) {
      // What is encrypted shares nothing with what it was encrypted from, nor with itself encrypted again.
      guard let lease = try? store.lease(tree), let stored = try? store.model(tree), stored.form != .encrypted
      else { continue }
      leases.append(lease)
      bases.append(.init(folder: stored.form == .mlmodel ? store.folder(of: tree) : stored.url, tree: tree))
    }
    if let baseline = options.baselines[model], baseline.pathExtension == variant.form.rawValue {
      // A `.mlmodel` has another name in its tree than beside the program.
      let isFile = variant.form.isFile
      let tree = variant.deltas.isEmpty || isFile ? nil : try? TreeDigest.digest(of: baseline)
      bases.append(.init(folder: baseline, tree: tree))
    }
    return (bases, leases)
  }

  /// - Throws: ``DeliveryError`` `otherInterface`.
  func requireInterface(_ stored: StoredModel, of model: String) throws {
    guard options.keepsInterface, let version = candidates(model, arm: nil, standing()).first else { return }
    // What is in use now is no measure when it does not load.
    guard let old = try? description(model, version) else { return }
    let release = InstalledRelease(release: 0, version: "", variant: "", tree: stored.digest, activated: options.now())
    try InterfaceCheck.require(description(model, .release(release)), fits: old)
  }

  private func description(_ model: String, _ version: ModelVersion) throws -> MLModelDescription {
    let (url, leases) = try place(model, version)
    return try withExtendedLifetime(leases) { try opened(url, of: model)().modelDescription }
  }

  /// Switches models, all in one step.
  func switchTo(
    _ installed: [String: (current: InstalledRelease?, arms: [InstalledRelease])]
  ) throws -> [ChannelUpdate.Switch] {
    // Names keep the new models before the standing speaks of them: a process may end at any point.
    for (model, (current, arms)) in installed {
      for release in [current].compactMap({ $0 }) + arms {
        try store.point(name: "\(name(of: model)):release-\(release.release)", at: release.tree)
      }
    }
    let (before, after) = try files.change { standing in
      for (model, (current, arms)) in installed {
        var entry = standing[model]
        if entry.current?.tree != current?.tree {
          let left = [entry.current].compactMap { $0 } + entry.earlier
          let book = files.book(of: model)
          entry.earlier =
            current == nil
            ? [] : Standing.earlier(of: left.filter { $0.tree != current?.tree }) { book.isProven($0.tree) }
          entry.current = current
        } else if let current, let was = entry.current {
          // The same model under another number: it has been in use since it was switched to.
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
