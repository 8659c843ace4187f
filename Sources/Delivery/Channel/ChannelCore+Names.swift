import Foundation

/// A channel's models in the store. The standing says what is used; names in the store only keep it from being pruned, and let the command
/// find it: `REPOSITORY:CHANNEL:MODEL`, and the same with `:last-good` and `:release-N` for those beside it.
extension ChannelCore {
  func name(of model: String) -> String { "\(repository):\(options.channel):\(model)" }

  /// Brings the names in line with a standing, and with the one that another process may have put in its place meanwhile: of two that do
  /// this the slower one must not have the last word. What fails is told: the models are there all the same.
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
        try store.point(name: name, at: tree)
      }
      for found in try store.activeNames() where found == name || found.hasPrefix("\(name):") {
        if wanted[found] == nil { try store.remove(name: found) }
      }
    } catch let error as DeliveryError where error.code == .notInStore || error.code == .noSuchModel {
      // It was pruned, or another process was faster; the next update sees to it.
      return
    } catch {
      tell(error, model: model)
    }
  }

  /// What is to be done after a proof, where a process ended between the two.
  private func finishProofs(of model: String, _ current: InstalledRelease?) {
    let book = files.book(of: model)
    do {
      if let personal = try personals.record(of: name(of: model)).models.first, book.isProven(personal.tree) {
        try prove(model, personal)
      }
      if let current, book.isProven(current.tree) { try settle(model) }
    } catch { tell(error, model: model) }
  }

  /// Removes models that were left: what a device has used before and neither uses nor may come back to. A model that some process still
  /// predicts with stays until the next time.
  func sweep() {
    let before = standing()
    for model in before.models.keys.sorted() { finishProofs(of: model, before[model].current) }
    let standing = standing()
    for model in standing.models.keys.sorted() {
      let book = files.book(of: model)
      let used = (try? FileManager.default.contentsOfDirectory(atPath: book.folder.path)) ?? []
      let needed = Set(standing.trees(of: model))
      // A process that ended between its switch and this left the names as they were.
      keep(model, as: standing)
      drop(used.filter { TreeDigest.isDigest($0) && !needed.contains($0) }, of: model)
      for tree in used where tree == Self.baseline || TreeDigest.isDigest(tree) {
        book.trim(tree)
        if !needed.contains(tree), !isPresent(tree), book.isForgotten(tree) { try? book.forget(tree) }
      }
    }
  }

  /// Removes models that nothing needs any more from the store, with their compiled forms.
  func drop(_ trees: [String], of model: String) {
    for tree in trees {
      do {
        guard let stored = try? store.model(tree), stored.origin == .fetched, !store.isPinned(tree) else { continue }
        let store = store
        let removed = try store.leases.remove(tree) {
          try store.needed(previous: InstalledVersions.limit).contains(tree)
        } _: {
          try FolderReplacement.discard(store.folder(of: tree), through: store.staging)
        }
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
