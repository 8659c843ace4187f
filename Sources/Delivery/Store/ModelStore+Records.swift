import CoreMLBase
import CoreMLSpec
import Foundation

/// The record of a model says less than its files: it is made anew where those are whole.
extension ModelStore {
  /// The model of a digest whose record is damaged or missing, with a new record. A model that is not whole either is set aside.
  ///
  /// - Throws: ``DeliveryError`` `damagedModel` when it is set aside, `untrusted`, `unreadable`, `unwritable`.
  func withRecordMended(_ digest: String) throws -> StoredModel {
    let lease = try leases.lease(digest)
    defer { withExtendedLifetime(lease) {} }
    let folder = folder(of: digest)
    let seen = DamagedItems.Identity(folder)
    try FileTrust.process.require(tree: folder)
    // Another process may have done it, or the model have gone.
    do { return try model(digest) } catch let error as DeliveryError
      where error.code == .damagedRecord || error.isOfMedium
    {
      // That is what is mended here.
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

  /// Where a model came from whose own record does not say, as far as others do. What may be from here alone is kept, whatever names say.
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
