import CoreMLRuntime
import Foundation

/// A user's personalised models. They are stored in the model store, included in backups, and listed in a record with
/// their bases.
///
/// A record is replaced only after its new model is in the store. An interruption in between leaves a model that no
/// record names. ``ModelStore/prune(_:_:)`` removes such models, but no other personalised ones.
struct PersonalModels: Sendable {
  /// The maximum number of unfinished trainings on one base.
  static let attempts = 3

  let store: ModelStore

  // MARK: lookup

  func record(of name: String) throws -> PersonalRecord {
    try store.personalRecords.record(of: name) ?? PersonalRecord()
  }

  // MARK: changes

  /// Adds a trained model as the newest one of a name: it is tried, added to the store, then recorded.
  ///
  /// - Parameters:
  ///   - written: the model, in a folder on the store's file system; it is moved from there.
  ///   - base: the ``TreeDigest`` of the base model.
  /// - Throws: ``DeliveryError``; the previous models then stay as they are.
  @discardableResult
  func adopt(
    _ written: URL, as name: String, base: String, release: Int?, _ installer: ModelInstaller, now: Timestamp
  ) throws -> PersonalModel {
    var request = ModelInstaller.Request()
    (request.origin, request.activates, request.personalOf) = (.personal, false, name)
    let stored = try installer.install(staged: written, as: name, request)
    let lease = try store.lease(stored.digest)
    defer { withExtendedLifetime(lease) {} }
    let model = PersonalModel(tree: stored.digest, base: base, release: release, trained: now)
    let dropped = try change(name) { record in
      record.models.removeAll { $0.tree == model.tree }
      record.models = Array(([model] + record.models).prefix(PersonalRecord.limit))
      record.attempt = nil
    }
    try drop(dropped)
    return model
  }

  /// Records the begin of a training on a base. Returns false after too many unfinished attempts.
  func beginAttempt(of name: String, on base: String) throws -> Bool {
    guard try record(of: name).attempts(on: base) < Self.attempts else { return false }
    try change(name) { record in
      record.attempt = .init(base: base, count: record.attempts(on: base) + 1)
    }
    return true
  }

  /// Resets the attempts after an orderly cancellation.
  func forgetAttempt(of name: String) throws { try change(name) { $0.attempt = nil } }

  /// Removes the predecessors of a proven newest model.
  func settle(_ name: String, on tree: String) throws {
    let dropped = try change(name) { record in
      if record.models.first?.tree == tree { record.models = Array(record.models.prefix(1)) }
    }
    try drop(dropped)
  }

  /// Removes the personalised models of a name permanently.
  func remove(_ name: String) throws {
    let models = try record(of: name).models
    let file = store.personalRecords.file(of: name)
    guard unlink(file.path) == 0 || errno == ENOENT else {
      throw DeliveryError(.unwritable, "the record cannot be removed", at: file, errno: errno)
    }
    try FolderReplacement.synchronize(file.deletingLastPathComponent())
    try drop(models.map(\.tree))
  }

  /// Changes a record. Returns the trees that it does not name any more.
  @discardableResult
  private func change(_ name: String, _ body: (inout PersonalRecord) -> Void) throws -> [String] {
    // The lock prevents lost updates of concurrent changes.
    let lock = FileLock(store.staging.appending(path: "personal.lock"))
    defer { withExtendedLifetime(lock) {} }
    let before = try record(of: name)
    var after = before
    body(&after)
    if after != before { try DurableFile.write(json: after, to: store.personalRecords.file(of: name)) }
    let kept = Set(after.models.map(\.tree))
    return before.models.map(\.tree).filter { !kept.contains($0) }
  }

  /// Removes unneeded models from the store. Models in use remain until the store is pruned.
  func drop(_ trees: [String]) throws {
    for tree in trees {
      guard let stored = try? store.model(tree), stored.personalOf != nil, !store.isPinned(tree) else { continue }
      _ = try store.retention.remove(tree, previous: InstalledVersions.limit)
    }
  }
}
