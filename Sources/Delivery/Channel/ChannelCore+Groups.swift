import Foundation

/// Models that switch together go back together, and are done with those before them together.
extension ChannelCore {
  /// Those that a model switches together with, itself among them.
  func together(with model: String, _ standing: InstalledState) -> [String] {
    var names: Set<String> = [model]
    while true {
      let more = standing.collections.values.filter { !names.isDisjoint(with: $0) }.flatMap { $0 }
      if names.isSuperset(of: more) { return names.sorted() }
      names.formUnion(more)
    }
  }

  /// Blocks a model on this device, with those that were switched to together with it, and leaves them all in one step.
  ///
  /// - Returns: false where a model would then have nothing to answer with. All stays as it was in that case.
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
    // A block that is there already was decided on: it is obeyed.
    let isBlocked = files.book(of: model).block(of: release.tree, runtime: options.runtime) != nil
    guard isBlocked || leftWithout(members, standing, leaving: leaving).isEmpty else { return false }
    do {
      // First, for good: whatever else fails or is lost, the models are not used again. The one at fault is the last: when this is cut
      // short, the others are known by it (`heal`).
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
      // Whoever called holds the model's switch, perhaps; the others load in their own time.
      if !partners.isEmpty { DispatchQueue.global().async { self.refresh(partners) } }
    } catch {
      // Blocked it is, in any case; a standing that could not be written is put right by whoever looks at it next.
      tell(error, model: model)
    }
    return true
  }

  /// The standing, after what a process that ended in the middle of a rollback of these models left undone.
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

  /// Has models that switch together go back to the newest state in which each was one that has proved itself, or all to what came with
  /// the software. Where one of them is missing there, the newest state that is whole on this device will do.
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
      // What each was at that moment.
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

  /// A model that has proved itself does not need those before it, once all that switch with it have. Every update does this, too: a
  /// process may have ended after the proof.
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
