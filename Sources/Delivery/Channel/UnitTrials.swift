import CoreMLRuntime
import Foundation

/// Compiles and tries fetched models, and adds those that pass to the store.
struct UnitTrials: Sendable {
  let records: ChannelRecords
  let installer: ModelInstaller
  let loading: ModelLoading
  private var options: ChannelOptions { records.options }
  private var store: ModelStore { records.store }

  /// Whether a process ended during an earlier trial of one of the unit's models. The model may have crashed it.
  func isSuspect(_ unit: UpdateUnit) -> Bool {
    unit.wanted.contains { !records.health(of: $0.model).trialsCutShort($0.variant.tree).isEmpty }
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
        if item.isNew { records.log.send(.trying(model: item.model, release: item.release.number)) }
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
    let (health, digest) = (records.health(of: item.model), item.variant.tree)
    let ended = health.trialsThatEndedTheirProcess(digest)
    // A trial without a helper process runs in this process, which a faulty model may crash. The model fails after a
    // limited number of crashes.
    guard ended < max(options.health.crashes, 1) else {
      throw DeliveryError(.trialCrashed, "\(ended) processes ended while they tried the model", file: item.model)
    }
    let mark = TrialMark(in: health.folder(of: digest))
    defer { withExtendedLifetime(mark) {} }
    return try TrialMark.$current.withValue(mark) { try tryOut(item, alone: alone, health) }
  }

  private func tryOut(_ item: FetchedUnit.Item, alone: Bool, _ health: HealthStore) throws -> [ModelLease] {
    let digest = item.variant.tree
    var request = item.request
    request.sharesMemory = !alone
    // The leases of the predecessor must last until the trial has ended.
    let fits = predecessor(of: item.model)
    defer { withExtendedLifetime(fits) {} }
    request.fits = fits.map { ($0.url, $0.identity) }
    do {
      let lease: ModelLease
      if let stored = try store.integrity.present(digest) {
        lease = try store.lease(stored.digest)
        try installer.tryOut(stored.url, stored.digest, request)
      } else if let staged = item.staged {
        lease = try store.lease(
          installer.install(staged: staged, as: records.storeName(of: item.model), request).digest)
      } else {
        throw DeliveryError(.notInStore, "the model was removed from the store while it was to be used again")
      }
      if !request.golden.isEmpty { try health.noteTried(digest) }
      health.forgetTrials(of: digest)
      return [lease]
    } catch {
      // A failed trial makes the marks of earlier trials irrelevant. A cancelled trial has no result.
      if !(error is CancellationError) { health.forgetTrials(of: digest) }
      throw error
    }
  }

  /// Returns the model whose inputs and outputs a new model must be compatible with: the first candidate that this
  /// device would use now. Nil if ``ChannelOptions/keepsInterface`` is false, or if that model cannot be loaded.
  ///
  /// - Returns: the URL of the compiled model, its digest, and the leases that keep it on disk.
  private func predecessor(of model: String) -> (url: URL, identity: String, leases: [ModelLease])? {
    guard options.keepsInterface, let version = loading.candidates(model, arm: nil, records.installedState()).first,
      // A current model that cannot be loaded is not used as a reference.
      let (url, leases) = try? loading.locate(model, version)
    else { return nil }
    let identity: String? =
      switch version {
      case .baseline: options.baselines[model].flatMap { try? loading.cache.digest(of: $0) }
      default: version.tree
      }
    return identity.map { (url, $0, leases) }
  }
}
