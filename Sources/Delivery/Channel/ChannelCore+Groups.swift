import Foundation

/// Atomic switch groups: the models of a collection switch in one step. They are also rolled back in one step, and
/// their predecessors are dropped in one step.
extension ChannelCore {
  /// Returns the names of the models in the switch group of a model, including the model. Collections that share a
  /// model form one group.
  func together(with model: String, _ standing: InstalledState) -> [String] {
    var names: Set<String> = [model]
    while true {
      let more = standing.collections.values.filter { !names.isDisjoint(with: $0) }.flatMap { $0 }
      if names.isSuperset(of: more) { return names.sorted() }
      names.formUnion(more)
    }
  }

  /// Blocks a release on this device, and the releases of its group that were activated at the same time. Then rolls
  /// the whole group back in one step.
  ///
  /// - Returns: false if some model of the group would have no replacement. Nothing changes in that case.
  @discardableResult
  func rollBack(
    _ model: String, _ release: InstalledRelease, _ reason: RollbackReason, _ message: String
  ) -> Bool {
    let standing = standing()
    let members = together(with: model, standing)
    var leaving = [model: release.tree]
    for partner in members where partner != model {
      if let current = standing[partner].current, current.activated == release.activated {
        leaving[partner] = current.tree
      }
    }
    // If the release is blocked already, the rollback was decided earlier, and it proceeds even without replacements.
    let isBlocked = files.book(of: model).block(of: release.tree, runtime: options.runtime) != nil
    guard isBlocked || leftWithout(members, standing, leaving: leaving).isEmpty else { return false }
    do {
      // The blocks are written first. From then on the releases are never used again, even if a later step fails. If
      // the process ends in between, `healed` completes the rollback.
      let now = options.now()
      func block(_ model: String, _ release: InstalledRelease, _ message: String) throws -> ChannelEvent? {
        let isNew = try files.book(of: model).block(
          release.tree,
          ModelBlock(
            reason: reason, message: message, release: release.release, date: now,
            runtimeVersion: options.runtime))
        return isNew ? .rolledBack(model: model, release: release.release, reason: reason) : nil
      }
      var told: [ChannelEvent?] = [try block(model, release, message)]
      for partner in members where partner != model {
        guard let current = standing[partner].current, leaving[partner] == current.tree else { continue }
        told.append(try block(partner, current, "it switches together with '\(model)': \(message)"))
      }
      let (before, after) = try files.change { retreat(members, &$0) }
      for event in told.compactMap({ $0 }) { events.tell(event) }
      let changed = members.filter { before[$0] != after[$0] }
      for member in changed {
        keep(member, as: after)
        tellSwitch(member, before, after)
      }
      let partners = changed.filter { $0 != model }
      // The other models are refreshed asynchronously, because the caller may hold the lock under which its model
      // switches.
      if !partners.isEmpty { DispatchQueue.global().async { self.refresh(partners) } }
    } catch {
      // The block may be written already. `healed` then corrects the installed state later.
      tell(error, model: model)
    }
    return true
  }

  /// Returns the installed state after completing rollbacks of these models that an ended process left unfinished.
  func healed(_ models: some Sequence<String>) -> InstalledState {
    var standing = standing()
    let members = Set(models.flatMap { together(with: $0, standing) })
    for member in members.sorted() {
      guard let current = standing[member].current,
        let block = files.book(of: member).block(of: current.tree, runtime: options.runtime)
      else { continue }
      rollBack(member, current, block.reason, block.message)
      standing = self.standing()
    }
    return standing
  }

  /// If a current release of a group is blocked or leaving, rolls the whole group back to an earlier moment. This is
  /// the newest one at which each model had a release that is in the store and proven by now. If some model has no
  /// baseline, releases that are in the store but not proven suffice. Without any such moment, all models return to
  /// their baselines.
  ///
  /// A group without such a release, or with one installed model, is handled model by model.
  func retreat(_ members: [String], _ standing: inout InstalledState, leaving: Leaving = [:]) {
    let isFault = members.contains { member in
      standing[member].current.map { isOut($0, of: member, leaving: leaving) } ?? false
    }
    let followed = members.filter { standing[$0].current != nil }
    guard isFault, followed.count > 1 else {
      for member in members { retreat(member, &standing, leaving: leaving) }
      return
    }
    var states: [String: [InstalledRelease]] = [:]
    for member in followed {
      func isOut(_ release: InstalledRelease) -> Bool { self.isOut(release, of: member, leaving: leaving) }
      standing[member].arms.removeAll(where: isOut)
      states[member] = ([standing[member].current].compactMap { $0 } + standing[member].earlier).filter { !isOut($0) }
    }
    let moments = Set(states.values.flatMap { $0.map(\.activated) }).sorted(by: >)
    let tries = moments.map { ($0, true) } + (followed.allSatisfy(hasBaseline) ? [] : moments.map { ($0, false) })
    for (moment, needsProof) in tries {
      // The index of each model's release at that moment.
      let places = followed.map { member in (member, states[member]?.firstIndex { $0.activated <= moment }) }
      let isGood = places.allSatisfy { member, place in
        guard let place, let release = states[member]?[place] else { return false }
        return isPresent(release.tree) && (!needsProof || files.book(of: member).isProven(release.tree))
      }
      guard isGood else { continue }
      for (member, place) in places {
        guard let place, let state = states[member] else { continue }
        (standing[member].current, standing[member].earlier) = (state[place], Array(state[(place + 1)...]))
      }
      return
    }
    for member in followed { (standing[member].current, standing[member].earlier) = (nil, []) }
  }

  /// Drops the predecessors of a proven model once all models of its group are proven. Keeps up to
  /// ``ChannelOptions/keptModels`` proven predecessors of each. Every update repeats this step, because a process may
  /// end between the proof and this step.
  func settle(_ model: String) throws {
    let members = together(with: model, standing())
    let kept = max(options.keptModels, 0)
    func isSettled(_ member: String, _ standing: InstalledState) -> Bool {
      standing[member].current.map { files.book(of: member).isProven($0.tree) } ?? true
    }
    let (before, after) = try files.change { standing in
      guard members.allSatisfy({ isSettled($0, standing) }) else { return }
      for member in members where standing[member].current != nil && !standing[member].earlier.isEmpty {
        let book = files.book(of: member)
        standing[member].earlier = Array(standing[member].earlier.filter { book.isProven($0.tree) }.prefix(kept))
      }
    }
    for member in members where before[member] != after[member] {
      keep(member, as: after)
      drop(before.trees(of: member).filter { !after.trees(of: member).contains($0) }, of: member)
    }
  }
}
