import Foundation

/// The names of a channel's models in the store. The installed state, not a name, defines which models are in use.
///
/// Names in the store only protect models from pruning and let the command-line tool find them. The name of the current
/// model is `REPOSITORY:CHANNEL:MODEL`. Other models of the channel have the suffix `:last-good` or `:release-N`.
struct StoreNames: Sendable {
  let records: ChannelRecords
  private var store: ModelStore { records.store }

  /// Makes a name refer to a release that the installed state is about to use.
  func add(_ release: InstalledRelease, of model: String) throws {
    try store.setName("\(records.storeName(of: model)):release-\(release.release)", to: release.tree)
  }

  /// Makes the names of a model agree with an installed state. If another process has replaced the state in the
  /// meantime, the names are aligned with the newer state. So the slower of two processes leaves no outdated names.
  /// Errors are only reported, because the models remain in the store.
  func update(_ model: String, to state: InstalledState) {
    var entry = state[model]
    for _ in 0..<3 {
      align(model, with: entry)
      let now = records.installedState()[model]
      if now == entry { return }
      entry = now
    }
  }

  private func align(_ model: String, with entry: InstalledState.Model) {
    let name = records.storeName(of: model)
    var wanted: [String: String] = [:]
    for release in entry.earlier + entry.arms { wanted["\(name):release-\(release.release)"] = release.tree }
    if let good = entry.earlier.first(where: { records.health(of: model).isProven($0.tree) }) {
      wanted["\(name):last-good"] = good.tree
    }
    if let current = entry.current { wanted[name] = current.tree }
    do {
      for (name, digest) in wanted.sorted(by: { $0.key < $1.key })
      where try store.active(name: name)?.digest != digest {
        try store.setName(name, to: digest)
      }
      for found in try store.activeNames() where found == name || found.hasPrefix("\(name):") {
        if wanted[found] == nil { try store.remove(name: found) }
      }
    } catch let error as DeliveryError where error.code == .notInStore || error.code == .noSuchModel {
      // The model was pruned, or another process changed the name first. The next update repairs this.
      return
    } catch {
      records.log.report(error, model: model)
    }
  }
}
