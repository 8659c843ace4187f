import Foundation
import Synchronization

/// Leaves faulty releases. The models of a collection switch and roll back in one step.
final class Rollback: Sendable {
  private let records: ChannelRecords
  private let fallback: Fallback
  private let names: StoreNames
  private let openModels: OpenModels
  /// Faulty releases that stay in use for lack of a replacement and that this process has reported already.
  private let reported = Mutex<Set<String>>([])

  init(records: ChannelRecords, openModels: OpenModels) {
    (self.records, self.openModels) = (records, openModels)
    (fallback, names) = (Fallback(records: records), StoreNames(records: records))
  }

  /// Blocks a release on this device, and the releases of its group that were activated at the same time. Then rolls
  /// the whole group back in one step.
  ///
  /// - Returns: false if some model of the group would have no replacement. Nothing changes in that case.
  @discardableResult
  func rollBack(
    _ model: String, _ release: InstalledRelease, _ reason: RollbackReason, _ message: String
  ) -> Bool {
    let state = records.installedState()
    let members = state.group(of: model)
    var leaving = [model: release.tree]
    for partner in members where partner != model {
      if let current = state[partner].current, current.activated == release.activated {
        leaving[partner] = current.tree
      }
    }
    // If the release is blocked already, the rollback was decided earlier, and it proceeds even without replacements.
    let isBlocked = records.block(of: release.tree, model) != nil
    guard isBlocked || fallback.leftWithout(members, state, leaving: leaving).isEmpty else { return false }
    do {
      // The blocks are written first. From then on the releases are never used again, even if a later step fails. If
      // the process ends in between, `completed` finishes the rollback.
      let now = records.options.now()
      func block(_ model: String, _ release: InstalledRelease, _ message: String) throws -> ChannelEvent? {
        let isNew = try records.health(of: model).block(
          release.tree,
          ModelBlock(
            reason: reason, message: message, release: release.release, date: now,
            runtimeVersion: records.options.runtime))
        return isNew ? .rolledBack(model: model, release: release.release, reason: reason) : nil
      }
      var events: [ChannelEvent?] = [try block(model, release, message)]
      for partner in members where partner != model {
        guard let current = state[partner].current, leaving[partner] == current.tree else { continue }
        events.append(try block(partner, current, "it switches together with '\(model)': \(message)"))
      }
      let (before, after) = try records.files.change { fallback.exclude(members, &$0) }
      for event in events.compactMap({ $0 }) { records.log.send(event) }
      let changed = members.filter { before[$0] != after[$0] }
      for member in changed {
        names.update(member, to: after)
        records.log.sendSwitch(member, before, after)
      }
      let partners = changed.filter { $0 != model }
      // The other models are refreshed asynchronously, because the caller may hold the lock under which its model
      // switches.
      if !partners.isEmpty { DispatchQueue.global().async { self.openModels.refresh(partners) } }
    } catch {
      // The block may be written already. `completed` then corrects the installed state later.
      records.log.report(error, model: model)
    }
    return true
  }

  /// Leaves the current model of a name for an earlier one or the baseline, at the user's request.
  ///
  /// - Throws: ``DeliveryError`` `noEarlierVersion` if no replacement exists; `notOffered` if no model has this name.
  func rollBackByHand(_ model: String, _ reason: String) throws {
    try records.requireKnown(model, among: records.knownModels())
    guard let current = try records.files.installedState()[model].current else {
      let what =
        records.hasBaseline(model) ? "is the model that came with the software already" : "has no release in use"
      throw DeliveryError(.noEarlierVersion, "'\(model)' \(what)")
    }
    guard rollBack(model, current, .byHand, reason) else {
      throw DeliveryError(
        .noEarlierVersion,
        "'\(model)' stays at release \(current.release): no other release is here to answer, and no model came with the software"
      )
    }
  }

  /// Returns the installed state after completing rollbacks of these models that an ended process left unfinished.
  func completed(_ models: some Sequence<String>) -> InstalledState {
    var state = records.installedState()
    let members = Set(models.flatMap { state.group(of: $0) })
    for member in members.sorted() {
      guard let current = state[member].current, let block = records.block(of: current.tree, member) else { continue }
      rollBack(member, current, block.reason, block.message)
      state = records.installedState()
    }
    return state
  }

  /// Reports, once per process, that a faulty release stays in use because there is no replacement.
  func reportKept(_ model: String, _ release: InstalledRelease, _ reason: RollbackReason, _ message: String) {
    guard reported.withLock({ $0.insert("\(model)/\(release.tree)").inserted }) else { return }
    let sentence =
      "'\(model)': release \(release.release) stays in use, because nothing else is here to answer: \(reason.rawValue): \(message)"
    records.log.send(.failed(model: model, reason: .noEarlierVersion, message: sentence))
  }
}

extension ChannelLog {
  /// Sends the switch of a model, if it uses another release after the change.
  func sendSwitch(_ model: String, _ before: InstalledState, _ after: InstalledState) {
    let (from, to) = (before[model].current, after[model].current)
    guard from?.tree != to?.tree else { return }
    send(.switched(model: model, from: from?.release, to: to?.release))
  }
}
