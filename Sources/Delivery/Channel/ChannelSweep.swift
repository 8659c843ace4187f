import Foundation

/// Cleans up after an update: completes proofs, removes unused models and old health records.
struct ChannelSweep: Sendable {
  let records: ChannelRecords
  let probation: Probation
  let names: StoreNames
  let removal: ModelRemoval

  /// Removes models that this device used before and that are neither in use nor rollback targets. A model that a
  /// process still has leased remains until a later sweep.
  func run() {
    let before = records.installedState()
    for model in before.models.keys.sorted() { probation.finishProofs(of: model, before[model].current) }
    let state = records.installedState()
    for model in state.models.keys.sorted() {
      let health = records.health(of: model)
      let used = (try? FileManager.default.contentsOfDirectory(atPath: health.folder.path)) ?? []
      let needed = Set(state.digests(of: model))
      // A process may have ended after it changed the installed state and before it updated the names.
      names.update(model, to: state)
      removal.remove(used.filter { TreeDigest.isDigest($0) && !needed.contains($0) }, of: model)
      for key in used where key == ChannelRecords.baseline || TreeDigest.isDigest(key) {
        health.trim(key)
        if !needed.contains(key), !records.isPresent(key), health.isForgotten(key) { try? health.forget(key) }
      }
    }
  }
}
