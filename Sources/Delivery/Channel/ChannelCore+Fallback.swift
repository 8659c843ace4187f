import Foundation

/// Selects the replacement of a release that the device stops using. A device that has a working model always keeps
/// one, unless the publisher revokes all of them.
extension ChannelCore {
  /// The tree digests of releases that are about to be blocked, by model.
  typealias Leaving = [String: String]

  /// Whether a baseline of the model shipped with the application and still exists.
  func hasBaseline(_ model: String) -> Bool {
    options.baselines[model].map { FileManager.default.fileExists(atPath: $0.path) } ?? false
  }

  /// Whether a release is blocked on this device, or is about to be.
  func isOut(_ release: InstalledRelease, of model: String, leaving: Leaving) -> Bool {
    leaving[model] == release.tree
      || files.book(of: model).block(of: release.tree, runtime: options.runtime) != nil
  }

  /// Returns the index of the earlier release that replaces the current one: the newest proven release in the store.
  /// Without a proven release the result is nil if there is a baseline, else the newest release in the store.
  func fallback(_ earlier: [InstalledRelease], of model: String) -> Int? {
    let book = files.book(of: model)
    let proven = earlier.firstIndex { book.isProven($0.tree) && isPresent($0.tree) }
    return proven ?? (hasBaseline(model) ? nil : earlier.firstIndex { isPresent($0.tree) })
  }

  /// Returns those of `members` that would have no model if the device stopped using the releases `leaving`.
  func leftWithout(_ members: [String], _ standing: InstalledState, leaving: Leaving) -> [String] {
    var after = standing
    retreat(members, &after, leaving: leaving)
    return members.filter { standing[$0].current != nil && after[$0].current == nil && !hasBaseline($0) }
  }

  /// Reports, once per process, that a faulty release stays in use because there is no replacement.
  func tellKept(_ model: String, _ release: InstalledRelease, _ reason: RollbackReason, _ message: String) {
    guard kept.withLock({ $0.insert("\(model)/\(release.tree)").inserted }) else { return }
    let sentence =
      "'\(model)': release \(release.release) stays in use, because nothing else is here to answer: \(reason.rawValue): \(message)"
    events.tell(.failed(model: model, reason: .noEarlierVersion, message: sentence))
  }
}
