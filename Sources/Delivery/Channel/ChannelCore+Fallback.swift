import Foundation

/// What answers when a release is left. A device that has a model keeps one, unless the publisher takes all of them back.
extension ChannelCore {
  /// Releases that are about to be blocked, by model: the digests of their trees.
  typealias Leaving = [String: String]

  /// Whether a model came with the software and is still there.
  func hasBaseline(_ model: String) -> Bool {
    options.baselines[model].map { FileManager.default.fileExists(atPath: $0.path) } ?? false
  }

  /// Whether this device must not use a release, or is about to leave it.
  func isOut(_ release: InstalledRelease, of model: String, leaving: Leaving) -> Bool {
    leaving[model] == release.tree
      || files.book(of: model).block(of: release.tree, runtime: options.runtime) != nil
  }

  /// Which of the earlier releases takes the place of one that is left: the newest that has proved itself. Where none has, and no model
  /// came with the software, it is the newest that is here.
  func fallback(_ earlier: [InstalledRelease], of model: String) -> Int? {
    let book = files.book(of: model)
    let proven = earlier.firstIndex { book.isProven($0.tree) && isPresent($0.tree) }
    return proven ?? (hasBaseline(model) ? nil : earlier.firstIndex { isPresent($0.tree) })
  }

  /// The models among `members` that would have nothing to answer with, were these releases left.
  func leftWithout(_ members: [String], _ standing: InstalledState, leaving: Leaving) -> [String] {
    var after = standing
    retreat(members, &after, leaving: leaving)
    return members.filter { standing[$0].current != nil && after[$0].current == nil && !hasBaseline($0) }
  }

  /// Tells, once in a process, that a bad release stays because nothing else is here.
  func tellKept(_ model: String, _ release: InstalledRelease, _ reason: RollbackReason, _ message: String) {
    guard kept.withLock({ $0.insert("\(model)/\(release.tree)").inserted }) else { return }
    let sentence =
      "'\(model)': release \(release.release) stays in use, because nothing else is here to answer: \(reason.rawValue): \(message)"
    events.tell(.failed(model: model, reason: .noEarlierVersion, message: sentence))
  }
}
