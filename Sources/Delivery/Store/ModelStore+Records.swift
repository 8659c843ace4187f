import CoreMLBase
import CoreMLSpec
import Foundation

/// Repair of object records. A record can be derived from intact files.
extension ModelStore {
  /// Returns a model whose record is damaged or missing, after recreating the record. A model whose files are damaged
  /// too is set aside.
  ///
  /// - Throws: ``DeliveryError`` `damagedModel` if the model is set aside; `untrusted`, `unreadable`, `unwritable`.
  func withRecordMended(_ digest: String) throws -> StoredModel {
    let lease = try leases.lease(digest)
    defer { withExtendedLifetime(lease) {} }
    let folder = folder(of: digest)
    let seen = DamagedItems.Identity(folder)
    try FileTrust.process.require(tree: folder)
    // Another process may have repaired or removed the model.
    do { return try model(digest) } catch let error as DeliveryError
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
    let mended = ObjectRecord(
      form: form, origin: origin, personalOf: personalOf, size: contents.size, files: contents.entries.count,
      added: DiskUse.modified(folder) ?? Date())
    try DurableFile.write(json: mended, to: record, mode: 0o644, drafts: staging)
    DeliveryMetrics.found([
      StoreFinding(kind: .damagedRecord, path: folder.path, message: "the record of the model was made anew")
    ])
    return try model(digest)
  }

  /// Derives the origin of a model without a record. A model that may exist only on this device is treated as personal,
  /// so that it is kept.
  private func origin(ofUnrecorded digest: String) -> (StoredModel.Origin, personalOf: String?) {
    if (try? BackupExclusion.isExcluded(folder(of: digest))) == true { return (.fetched, nil) }
    let owner = (try? personalRecords())?.first { $0.value.models.contains { $0.tree == digest } }
    return (.personal, owner?.key)
  }

  private func lexists(_ url: URL) -> Bool {
    var status = stat()
    return lstat(url.path, &status) == 0
  }
}
