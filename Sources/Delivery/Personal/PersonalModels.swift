import CoreMLRuntime
import Foundation

/// The personalised models of a user: kept in the store, in backups, and under a record of what each was trained from.
///
/// A record is replaced as a whole after the model that it names is in the store. Whoever is interrupted between the two leaves a model
/// that no record names; ``ModelStore/prune(_:_:)`` removes it, and no other personalised one.
struct PersonalModels: Sendable {
  /// So many trainings on one base are begun and not ended before it is given up.
  static let attempts = 3

  let store: ModelStore

  // MARK: looking

  func record(of name: String) throws -> PersonalRecord {
    try store.personalRecord(of: name) ?? PersonalRecord()
  }

  // MARK: changing

  /// Takes a written model for the newest personalised one of a name: tried, put into the store, then named by the record.
  ///
  /// - Parameters:
  ///   - written: in a folder of the store's file system; it is taken from there.
  ///   - keepsBefore: whether the one before stays until the new one has proved itself.
  /// - Throws: ``DeliveryError``; the models before stay as they are.
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

  /// Notes that a training on a base begins. One that is refused has begun too often before.
  func beginAttempt(of name: String, on base: String) throws -> Bool {
    guard try record(of: name).attempts(on: base) < Self.attempts else { return false }
    try change(name) { record in
      record.attempt = .init(base: base, count: record.attempts(on: base) + 1)
    }
    return true
  }

  /// A training that was stopped in order says nothing of the next.
  func forgetAttempt(of name: String) throws { try change(name) { $0.attempt = nil } }

  /// The newest has proved itself: those before it may go.
  func settle(_ name: String, on tree: String) throws {
    let dropped = try change(name) { record in
      if record.models.first?.tree == tree { record.models = Array(record.models.prefix(1)) }
    }
    try drop(dropped)
  }

  /// Forgets the personalised models of a name, for good.
  func remove(_ name: String) throws {
    let models = try record(of: name).models
    let file = store.personalFile(of: name)
    guard unlink(file.path) == 0 || errno == ENOENT else {
      throw DeliveryError(.unwritable, "the record cannot be removed", at: file, errno: errno)
    }
    try FolderReplacement.synchronize(file.deletingLastPathComponent())
    try drop(models.map(\.tree))
  }

  /// Changes a record; the trees that it does not name any more.
  @discardableResult
  private func change(_ name: String, _ body: (inout PersonalRecord) -> Void) throws -> [String] {
    // Only keeps two changes at one moment from losing one of them.
    let lock = FileLock(store.staging.appending(path: "personal.lock"))
    defer { withExtendedLifetime(lock) {} }
    let before = try record(of: name)
    var after = before
    body(&after)
    if after != before { try DurableFile.write(json: after, to: store.personalFile(of: name)) }
    let kept = Set(after.models.map(\.tree))
    return before.models.map(\.tree).filter { !kept.contains($0) }
  }

  /// Removes models from the store that are needed no more. What somebody predicts with stays until the store is pruned.
  func drop(_ trees: [String]) throws {
    for tree in trees {
      guard let stored = try? store.model(tree), stored.personalOf != nil, !store.isPinned(tree) else { continue }
      _ = try store.leases.remove(tree) {
        try store.needed(previous: InstalledVersions.limit).contains(tree)
      } _: {
        try FolderReplacement.discard(store.folder(of: tree), through: store.staging)
      }
    }
  }
}

extension ModelStore {
  /// Records of personalised models, a file a name.
  var personal: URL { places.data.appending(path: "personal", directoryHint: .isDirectory) }

  func personalFile(of name: String) -> URL { personal.appending(path: "\(name).json") }

  /// - Throws: ``DeliveryError`` `damagedRecord`, `unreadable`, `noSuchModel`.
  func personalRecord(of name: String) throws -> PersonalRecord? {
    guard InstalledModels.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
    let file = personalFile(of: name)
    guard let record = try DurableFile.read(formatted: PersonalRecord.self, at: file) else { return nil }
    guard record.models.allSatisfy({ TreeDigest.isDigest($0.tree) && TreeDigest.isDigest($0.base) }) else {
      throw DeliveryError(.damagedRecord, "the record is not of the expected form", file: file.path)
    }
    return record
  }

  /// All records, by name.
  func personalRecords() throws -> [String: PersonalRecord] {
    var records: [String: PersonalRecord] = [:]
    for file in try names(in: personal) where file.hasSuffix(".json") && !file.hasPrefix(".") {
      let name = String(file.dropLast(5))
      // One that went meanwhile names nothing.
      records[name] = try personalRecord(of: name)
    }
    return records
  }
}
