import Foundation

/// The interpretation of a manifest for this device.
struct ManifestPlan {
  let records: ChannelRecords
  let rollback: Rollback
  let personal: PersonalVersions
  let openModels: OpenModels
  /// Returns the device that the manifest is interpreted for.
  let device: () throws -> TargetDevice
  private var options: ChannelOptions { records.options }

  /// Applies a manifest: stops using the releases that it revokes, then returns its offers for this device.
  func apply(_ accepted: TrustState.Accepted, isNew: Bool) throws -> ChannelCheck {
    let manifest = accepted.manifest
    let followed = manifest.models.keys.filter { options.models?.contains($0) ?? true }
    _ = rollback.completed(try stateToChange().models.keys.sorted())
    let known = try stateToChange()
    // Includes models that the channel no longer has, so that the device stops using their releases, too.
    let names = Set(followed).union(known.models.keys)
    let fallback = Fallback(records: records)
    let (before, after) = try records.files.change { state in
      state.collections = manifest.collections
      for model in names {
        fallback.exclude(model, &state) { isRevoked($0, model, manifest) }
        state[model].withdrawnBases = personal.withdrawnBases(of: model) { isRevoked($0, model, manifest) }
        let experiment = experiment(of: model, manifest)
        state[model].experiment = experiment
        let arms = Set(experiment?.arms.map(\.release) ?? [])
        state[model].arms.removeAll { !arms.contains($0.release) }
      }
    }
    var switches: [ChannelUpdate.Switch] = []
    let storeNames = StoreNames(records: records)
    for model in names.sorted() where before[model] != after[model] {
      storeNames.update(model, to: after)
      if let left = before[model].current, after[model].current?.tree != left.tree {
        // Another process may have blocked the release for a fault in the meantime.
        let own = records.block(of: left.tree, model)?.reason
        records.log.send(.rolledBack(model: model, release: left.release, reason: own ?? .withdrawn))
        switches.append(ChannelUpdate.Switch(model: model, from: left, to: after[model].current))
      }
      records.log.sendSwitch(model, before, after)
    }
    openModels.refreshAll()
    let target = try device()
    let offers = followed.sorted().map { offer($0, manifest, after[$0], target) }
    let requested = RequestedReleases(records: records, manifest: manifest)
    try requested.require(offers)
    return ChannelCheck(
      manifest: manifest, isNew: isNew, warnings: accepted.warnings, offers: offers, missing: requested.missing(),
      switches: switches)
  }

  /// Returns the installed state before a change. A damaged record counts as empty and will be replaced. A record that
  /// cannot be read may be intact, so the error is thrown.
  private func stateToChange() throws -> InstalledState {
    do { return try records.files.installedState() } catch let error as DeliveryError
      where error.code == .damagedRecord
    {
      records.log.report(error, model: nil)
      return InstalledState()
    }
  }

  private func isRevoked(_ release: InstalledRelease, _ model: String, _ manifest: ReleaseManifest) -> Bool {
    guard let record = manifest.models[model], manifest.killSwitch == nil, record.killSwitch == nil,
      manifest.blocked[release.tree] == nil
    else { return true }
    return record.releases.first { $0.number == release.release }?.state == .withdrawn
  }

  private func experiment(of model: String, _ manifest: ReleaseManifest) -> Experiment? {
    guard options.runsAllArms, let record = manifest.models[model], manifest.killSwitch == nil,
      record.killSwitch == nil, record.forced == nil
    else { return nil }
    return record.experiment
  }

  private func offer(
    _ model: String, _ manifest: ReleaseManifest, _ entry: InstalledState.Model, _ device: TargetDevice
  ) -> ChannelCheck.Offer {
    // Models blocked on this device are treated like those blocked by the publisher.
    var manifest = manifest
    for (digest, block) in records.health(of: model).blocks(runtime: options.runtime) {
      manifest.blocked[digest] = manifest.blocked[digest] ?? "\(block.reason.rawValue): \(block.message)"
    }
    let (now, asked) = (options.now(), options.asked[model])
    let choice = manifest.choice(of: model, for: device, current: entry.current?.release, asked: asked, now: now)
    // The outcome is `baseline`, too, if a forced release cannot run on this device. The current release may still work
    // then.
    let keepsCurrent = choice.outcome == .baseline && isUsable(entry.current, of: model, manifest, device)
    let isUpdate: Bool
    switch choice.outcome {
    case .baseline: isUpdate = entry.current != nil && !keepsCurrent
    case .release(let release, let variant):
      isUpdate =
        entry.current?.tree != variant.tree || entry.current?.release != release.number
        || !records.isPresent(variant.tree)
    }
    let arms = (entry.experiment?.arms ?? []).compactMap { arm -> (release: Release, variant: Variant)? in
      let choice = manifest.choice(of: model, for: device, asked: arm.release, now: now)
      guard case .release(let release, let variant) = choice.outcome else { return nil }
      return (release, variant)
    }
    let missing = arms.contains { arm in
      !entry.arms.contains { $0.tree == arm.variant.tree } || !records.isPresent(arm.variant.tree)
    }
    return ChannelCheck.Offer(
      model: model, choice: choice, current: entry.current, isUpdate: isUpdate || missing, arms: arms,
      keepsCurrent: keepsCurrent)
  }

  /// Whether a device without a baseline may keep its current release: the manifest has not revoked it and offers it
  /// for this device.
  private func isUsable(
    _ current: InstalledRelease?, of model: String, _ manifest: ReleaseManifest, _ device: TargetDevice
  ) -> Bool {
    guard let current, !records.hasBaseline(model), !isRevoked(current, model, manifest) else { return false }
    let choice = manifest.choice(of: model, for: device, asked: current.release, now: options.now())
    guard case .release(_, let variant) = choice.outcome else { return false }
    return variant.tree == current.tree
  }
}
