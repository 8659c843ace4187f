import Foundation

/// Switches models of a channel to other releases, atomically.
struct ReleaseSwitch: Sendable {
  let records: ChannelRecords
  let names: StoreNames
  let openModels: OpenModels

  /// Switches models atomically.
  ///
  /// - Parameter releases: for each model to change, by name, the release to use (nil for the baseline) and the
  ///   experiment arms to run concurrently with it. Models that are not in the dictionary stay as they are.
  /// - Returns: the models whose current release has another tree than before, sorted by name.
  func switchModels(
    to releases: [String: (current: InstalledRelease?, arms: [InstalledRelease])]
  ) throws -> [ChannelUpdate.Switch] {
    // The names in the store protect models from removal. They are set before the installed state refers to the models,
    // because the process may end at any point.
    for (model, (current, arms)) in releases {
      for release in [current].compactMap({ $0 }) + arms {
        try names.add(release, of: model)
      }
    }
    let (before, after) = try records.files.change { state in
      for (model, (current, arms)) in releases {
        var entry = state[model]
        if entry.current?.tree != current?.tree {
          let left = [entry.current].compactMap { $0 } + entry.earlier
          let health = records.health(of: model)
          // A switch to the baseline keeps no earlier releases.
          entry.earlier =
            current == nil
            ? [] : InstalledState.earlier(of: left.filter { $0.tree != current?.tree }) { health.isProven($0.tree) }
          entry.current = current
        } else if let current, let was = entry.current {
          // The same model under another release number: the original activation time is kept.
          entry.current = InstalledRelease(
            release: current.release, version: current.version, variant: current.variant, tree: current.tree,
            activated: was.activated)
        }
        entry.arms = arms
        state[model] = entry
      }
    }
    for model in releases.keys.sorted() {
      names.update(model, to: after)
      records.log.sendSwitch(model, before, after)
    }
    openModels.refresh(releases.keys.sorted())
    return releases.keys.sorted().compactMap { model in
      let (from, to) = (before[model].current, after[model].current)
      return from?.tree == to?.tree ? nil : .init(model: model, from: from, to: to)
    }
  }
}
