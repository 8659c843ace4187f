import CoreMLBase
import CoreMLSpec
import Foundation
import Synchronization

/// Integrity checks of models in the store. A damaged record is restored, because it can be derived from intact files.
/// A damaged model is set aside before it can be used.
struct StoreIntegrity: Sendable {
  let objects: StoreObjects
  let staging: URL
  let leases: LeaseTable
  let personal: PersonalRecords
  /// The stamps of models verified by this process in read-only stores.
  private static let readOnce = Mutex<[String: ModelContents.Stamp]>([:])

  /// Returns the model of a digest if it exists and is intact, after reading all its files. Its time of last use is
  /// updated. A model that is damaged or could have been written by other users is set aside.
  ///
  /// - Throws: ``DeliveryError`` `unreadable`, which may be transient, so nothing is set aside then.
  func present(_ digest: String) throws -> StoredModel? {
    try objects.requireTrustedFolders()
    let folder = objects.folder(of: digest)
    guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
    do {
      let model = try wholeModel(digest, fully: true)
      // A recently used model is not pruned before a name can refer to it.
      _ = utimensat(AT_FDCWD, folder.path, nil, 0)
      return model
    } catch let error as DeliveryError {
      switch error.code {
      case .notInStore, .damagedModel: return nil
      case .untrusted, .notAModel:
        try setAside(digest)
        return nil
      default: throw error
      }
    }
  }

  /// Returns the model of a digest after checking that it is intact. A damaged record is repaired.
  func wholeModel(_ digest: String, fully: Bool = false) throws -> StoredModel {
    let model: StoredModel
    do { model = try objects.model(digest) } catch let error as DeliveryError
      where error.code == .damagedRecord || error.isOfMedium
    { model = try withRecordRestored(digest) }
    try requireWhole(model, fully: fully)
    return model
  }

  /// Checks that a model is intact. Files with unchanged metadata are accepted without reading them. Otherwise, or with
  /// `fully`, they are read and their digest is verified.
  ///
  /// - Throws: ``DeliveryError`` `damagedModel` if the model is damaged, after setting it aside; `untrusted`,
  ///   `unreadable`.
  func requireWhole(_ model: StoredModel, fully: Bool = false) throws {
    let folder = objects.folder(of: model.digest)
    let seen = DamagedItems.Identity(folder)
    try FileTrust.process.require(tree: folder)
    let contents: ModelContents
    do { contents = try ModelContents(of: model.url) } catch {
      guard access(model.url.path, F_OK) != 0, errno == ENOENT else { throw error }
      throw try setAside(model.digest, seen: seen, "its files are missing")
    }
    let stamp = ModelContents.Stamp(contents)
    let file = folder.appending(path: ModelContents.Stamp.fileName)
    let known = (try? DurableFile.read(json: ModelContents.Stamp.self, at: file)).flatMap { $0 }
    if !fully && (known == stamp || Self.readOnce.withLock { $0[model.digest] == stamp }) { return }
    let found: String
    do { found = try Self.digest(of: contents, below: model.url) } catch let error as DeliveryError
      where error.isOfMedium
    {
      throw try setAside(model.digest, seen: seen, "\(error)")
    }
    guard found == model.digest else {
      throw try setAside(model.digest, seen: seen, "its digest is \(found)")
    }
    guard known != stamp, try ModelContents(of: model.url) == contents else { return }
    // If the store is read-only, the model is verified once per process.
    Self.readOnce.withLock { $0[model.digest] = stamp }
    try? DurableFile.write(json: stamp, to: file, mode: 0o644, drafts: staging)
  }

  /// Reads of a failing disk are retried, because some faults are transient.
  static func digest(of contents: ModelContents, below url: URL) throws -> String {
    for attempt in 0..<2 {
      do { return TreeDigest.digest(of: try contents.files(below: url)) } catch let error as DeliveryError
        where error.isOfMedium
      { usleep(UInt32(100_000 << attempt)) }
    }
    return TreeDigest.digest(of: try contents.files(below: url))
  }

  // MARK: repair

  /// Returns a model whose record is damaged or missing, after recreating the record. A model whose files are damaged
  /// too is set aside.
  ///
  /// - Throws: ``DeliveryError`` `damagedModel` if the model is set aside; `untrusted`, `unreadable`, `unwritable`.
  func withRecordRestored(_ digest: String) throws -> StoredModel {
    let lease = try leases.lease(digest)
    defer { withExtendedLifetime(lease) {} }
    let folder = objects.folder(of: digest)
    let seen = DamagedItems.Identity(folder)
    try FileTrust.process.require(tree: folder)
    // Another process may have repaired or removed the model.
    do { return try objects.model(digest) } catch let error as DeliveryError
      where error.code == .damagedRecord || error.isOfMedium
    {
      // The damage is repaired below.
    }
    let record = folder.appending(path: ObjectRecord.fileName)
    let there = StoredModel.Form.allCases.filter { lexists(folder.appending(path: $0.fileName)) }
    guard there.count == 1, let form = there.first else {
      let what = there.isEmpty ? "its files are missing" : "there is more than one model"
      throw try setAside(digest, seen: seen, "its record is damaged, and \(what)")
    }
    let url = folder.appending(path: form.fileName)
    let contents = try ModelContents(of: url)
    let found: String
    do { found = try Self.digest(of: contents, below: url) } catch let error as DeliveryError where error.isOfMedium {
      throw try setAside(digest, seen: seen, "its record is damaged; \(error)")
    }
    guard found == digest else {
      throw try setAside(digest, seen: seen, "its record is damaged, and its digest is \(found)")
    }
    let (origin, personalOf) = origin(ofUnrecorded: digest)
    let restored = ObjectRecord(
      form: form, origin: origin, personalOf: personalOf, size: contents.size, files: contents.entries.count,
      added: DiskUse.modified(folder) ?? Date())
    try DurableFile.write(json: restored, to: record, mode: 0o644, drafts: staging)
    DeliveryMetrics.found([
      StoreFinding(kind: .damagedRecord, path: folder.path, message: "the record of the model was made anew")
    ])
    return try objects.model(digest)
  }

  /// Derives the origin of a model without a record. A model that may exist only on this device is treated as personal,
  /// so that it is kept.
  private func origin(ofUnrecorded digest: String) -> (StoredModel.Origin, personalOf: String?) {
    if (try? BackupExclusion.isExcluded(objects.folder(of: digest))) == true { return (.fetched, nil) }
    let owner = (try? personal.all())?.first { $0.value.models.contains { $0.tree == digest } }
    return (.personal, owner?.key)
  }

  private func lexists(_ url: URL) -> Bool {
    var status = stat()
    return lstat(url.path, &status) == 0
  }

  // MARK: setting aside

  /// Sets a damaged model aside and returns the error to throw.
  func setAside(_ digest: String, seen: DamagedItems.Identity?, _ what: String) throws -> DeliveryError {
    let url = objects.folder(of: digest)
    let outcome: String
    do {
      guard let aside = try objects.damage.models.setAside(url, seen: seen) else {
        return DeliveryError(.notInStore, "the store holds no model \(digest)", file: objects.folder.path)
      }
      outcome = "it was set aside as \(aside.path)"
    } catch let error as DeliveryError {
      outcome = error.message
    }
    let finding = StoreFinding(kind: .damagedModel, path: url.path, message: what)
    DeliveryMetrics.found([finding])
    return DeliveryError(
      .damagedModel, "the model \(digest) is damaged: \(what); \(outcome); installing it again repairs it",
      file: url.path)
  }

  /// Sets a model aside for any other reason.
  @discardableResult func setAside(_ digest: String) throws -> URL? {
    try objects.damage.models.setAside(objects.folder(of: digest), seen: nil)
  }
}
