import Foundation

/// The names of a channel's models in the store. The installed state, not a name, defines which models are in use.
///
/// Names in the store only protect models from pruning and let the command-line tool find them. The name of the current
/// model is `REPOSITORY:CHANNEL:MODEL`. Other models of the channel have the suffix `:last-good` or `:release-N`.
extension ChannelCore {
  func name(of model: String) -> String { "\(repository):\(options.channel):\(model)" }

  /// Makes the names of a model agree with an installed state. If another process has replaced the state in the
  /// meantime, the names are aligned with the newer state. So the slower of two processes leaves no outdated names.
  /// Errors are only reported, because the models remain in the store.
  func keep(_ model: String, as standing: InstalledState) {
    var entry = standing[model]
    for _ in 0..<3 {
      align(model, with: entry)
      let now = self.standing()[model]
      if now == entry { return }
      entry = now
    }
  }

  private func align(_ model: String, with entry: InstalledState.Model) {
    let name = name(of: model)
    var wanted: [String: String] = [:]
    for release in entry.earlier + entry.arms { wanted["\(name):release-\(release.release)"] = release.tree }
    if let good = entry.earlier.first(where: { files.book(of: model).isProven($0.tree) }) {
      wanted["\(name):last-good"] = good.tree
    }
    if let current = entry.current { wanted[name] = current.tree }
    do {
      for (name, tree) in wanted.sorted(by: { $0.key < $1.key }) where try store.active(name: name)?.digest != tree {
        try store.setName(name, to: tree)
      }
      for found in try store.activeNames() where found == name || found.hasPrefix("\(name):") {
        if wanted[found] == nil { try store.remove(name: found) }
      }
    } catch let error as DeliveryError where error.code == .notInStore || error.code == .noSuchModel {
      // The model was pruned, or another process changed the name first. The next update repairs this.
      return
    } catch {
      tell(error, model: model)
    }
  }

  /// Completes the steps after a proof, if a process ended before it could take them.
  private func finishProofs(of model: String, _ current: InstalledRelease?) {
    let book = files.book(of: model)
    do {
      if let personal = try personals.record(of: name(of: model)).models.first, book.isProven(personal.tree) {
        try prove(model, personal)
      }
      if let current, book.isProven(current.tree) { try settle(model) }
    } catch { tell(error, model: model) }
  }

  /// Removes models that this device used before and that are neither in use nor rollback targets. A model that a
  /// process still has leased remains until a later sweep.
  func sweep() {
    let before = standing()
    for model in before.models.keys.sorted() { finishProofs(of: model, before[model].current) }
    let standing = standing()
    for model in standing.models.keys.sorted() {
      let book = files.book(of: model)
      let used = (try? FileManager.default.contentsOfDirectory(atPath: book.folder.path)) ?? []
      let needed = Set(standing.trees(of: model))
      // A process may have ended after it changed the installed state and before it updated the names.
      keep(model, as: standing)
      drop(used.filter { TreeDigest.isDigest($0) && !needed.contains($0) }, of: model)
      for tree in used where tree == Self.baseline || TreeDigest.isDigest(tree) {
        book.trim(tree)
        if !needed.contains(tree), !isPresent(tree), book.isForgotten(tree) { try? book.forget(tree) }
      }
    }
  }

  /// Removes those of the given models from the store that are not needed under any name, with their compiled forms.
  func drop(_ trees: [String], of model: String) {
    for tree in trees {
      do {
        guard let stored = try? store.model(tree), stored.origin == .fetched, !store.isPinned(tree) else { continue }
        let removed = try store.retention.remove(tree, previous: InstalledVersions.limit)
        guard removed else { continue }
        if [.mlmodel, .mlpackage].contains(stored.form) {
          try cache.removeCompiledModel(for: stored.url, digest: tree)
        }
        events.tell(.removed(model: model, tree: tree))
      } catch {
        tell(error, model: model)
      }
    }
  }
}
