import Foundation

/// Selects the replacement of a release that the device stops using. A device that has a working model always keeps
/// one, unless the publisher revokes all of them.
///
/// These functions change only the installed state that they are given.
struct Fallback: Sendable {
  /// The tree digests of releases that are about to be blocked, by model.
  typealias Leaving = [String: String]

  let records: ChannelRecords

  /// Whether a release is blocked on this device, or is about to be.
  private func isExcluded(_ release: InstalledRelease, of model: String, leaving: Leaving) -> Bool {
    leaving[model] == release.tree || records.block(of: release.tree, model) != nil
  }

  /// Returns the index of the earlier release that replaces the current one: the newest proven release in the store.
  /// Without a proven release the result is nil if there is a baseline, else the newest release in the store.
  private func replacement(_ earlier: [InstalledRelease], of model: String) -> Int? {
    let health = records.health(of: model)
    let proven = earlier.firstIndex { health.isProven($0.tree) && records.isPresent($0.tree) }
    return proven ?? (records.hasBaseline(model) ? nil : earlier.firstIndex { records.isPresent($0.tree) })
  }

  /// Returns those of `members` that would have no model if the device stopped using the releases `leaving`.
  func leftWithout(_ members: [String], _ state: InstalledState, leaving: Leaving) -> [String] {
    var after = state
    exclude(members, &after, leaving: leaving)
    return members.filter { state[$0].current != nil && after[$0].current == nil && !records.hasBaseline($0) }
  }

  /// Removes releases that are blocked, leaving or refused from the installed state of one model. If the current
  /// release is one of them, an earlier one replaces it.
  func exclude(
    _ model: String, _ state: inout InstalledState, leaving: Leaving = [:],
    unless isRefused: (InstalledRelease) -> Bool = { _ in false }
  ) {
    func isOut(_ release: InstalledRelease) -> Bool {
      isExcluded(release, of: model, leaving: leaving) || isRefused(release)
    }
    state[model].arms.removeAll(where: isOut)
    state[model].earlier.removeAll(where: isOut)
    guard let current = state[model].current, isOut(current) else { return }
    let good = replacement(state[model].earlier, of: model)
    state[model].current = good.map { state[model].earlier[$0] }
    state[model].earlier = good.map { Array(state[model].earlier[($0 + 1)...]) } ?? []
  }

  /// If a current release of a group is blocked or leaving, returns the whole group to an earlier moment. This is the
  /// newest one at which each model had a release that is in the store and proven by now. If some model has no
  /// baseline, releases that are in the store but not proven suffice. Without any such moment, all models return to
  /// their baselines.
  ///
  /// A group without such a release, or with one installed model, is handled model by model.
  func exclude(_ members: [String], _ state: inout InstalledState, leaving: Leaving = [:]) {
    let isFault = members.contains { member in
      state[member].current.map { isExcluded($0, of: member, leaving: leaving) } ?? false
    }
    let followed = members.filter { state[$0].current != nil }
    guard isFault, followed.count > 1 else {
      for member in members { exclude(member, &state, leaving: leaving) }
      return
    }
    var remaining: [String: [InstalledRelease]] = [:]
    for member in followed {
      func isOut(_ release: InstalledRelease) -> Bool { isExcluded(release, of: member, leaving: leaving) }
      state[member].arms.removeAll(where: isOut)
      remaining[member] = ([state[member].current].compactMap { $0 } + state[member].earlier).filter { !isOut($0) }
    }
    let moments = Set(remaining.values.flatMap { $0.map(\.activated) }).sorted(by: >)
    let tries =
      moments.map { ($0, true) } + (followed.allSatisfy(records.hasBaseline) ? [] : moments.map { ($0, false) })
    for (moment, needsProof) in tries {
      // The index of each model's release at that moment.
      let indices = followed.map { member in (member, remaining[member]?.firstIndex { $0.activated <= moment }) }
      let isGood = indices.allSatisfy { member, index in
        guard let index, let release = remaining[member]?[index] else { return false }
        return records.isPresent(release.tree) && (!needsProof || records.health(of: member).isProven(release.tree))
      }
      guard isGood else { continue }
      for (member, index) in indices {
        guard let index, let releases = remaining[member] else { continue }
        (state[member].current, state[member].earlier) = (releases[index], Array(releases[(index + 1)...]))
      }
      return
    }
    for member in followed { (state[member].current, state[member].earlier) = (nil, []) }
  }
}
