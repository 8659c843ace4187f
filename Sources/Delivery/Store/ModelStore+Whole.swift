import CoreMLBase
import CoreMLSpec
import Foundation

/// Integrity checks of the store. Damaged models are set aside before they can be used.
extension ModelStore {
  private var damaged: DamagedItems {
    DamagedItems(folder: places.data.appending(path: "store/damaged", directoryHint: .isDirectory))
  }

  /// The limit is higher than for models, because records are small and name the affected models.
  private var damagedRecords: DamagedItems {
    DamagedItems(folder: places.data.appending(path: "store/damaged-records", directoryHint: .isDirectory), limit: 64)
  }

  /// Returns the damaged items that were set aside: models, oldest first, then records of names.
  public func damagedItems() -> [URL] { damaged.items() + damagedRecords.items() }

  /// Sets a name's unreadable record aside. Until the name refers to a model again, ``needed(previous:)`` includes
  /// every model.
  @discardableResult func setAsideRecord(of name: String) throws -> URL? {
    try damagedRecords.setAside(record(of: name), seen: nil)
  }

  /// Returns the names whose records were set aside.
  func namesOfDamagedRecords() -> Set<String> {
    Set(
      damagedRecords.items().compactMap { url in
        let file = url.lastPathComponent
        return file.range(of: ".installed-", options: .backwards).map { String(file[..<$0.lowerBound]) }
      })
  }

  /// Rejects a store that other users could have written to.
  ///
  /// - Throws: ``DeliveryError`` `untrusted`.
  func requireTrustedFolders() throws {
    let trust = FileTrust.process
    try trust.require(folder: places.data, followingLink: true)
    try trust.require(folder: objects.deletingLastPathComponent())
    try trust.require(folder: objects)
  }

  /// Checks that a model is intact. Files with unchanged metadata are accepted without reading them. Otherwise, or with
  /// `fully`, they are read and their digest is verified.
  ///
  /// - Throws: ``DeliveryError`` `damagedModel` if the model is damaged, after setting it aside; `untrusted`,
  ///   `unreadable`.
  func requireWhole(_ model: StoredModel, fully: Bool = false) throws {
    let folder = folder(of: model.digest)
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

  /// Returns the model of a digest after checking that it is intact. A damaged record is repaired.
  func wholeModel(_ digest: String, fully: Bool = false) throws -> StoredModel {
    let model: StoredModel
    do { model = try self.model(digest) } catch let error as DeliveryError
      where error.code == .damagedRecord || error.isOfMedium
    { model = try withRecordMended(digest) }
    try requireWhole(model, fully: fully)
    return model
  }

  /// Sets a damaged model aside and returns the error to throw.
  func setAside(_ digest: String, seen: DamagedItems.Identity?, _ what: String) throws -> DeliveryError {
    let url = folder(of: digest)
    let outcome: String
    do {
      guard let aside = try damaged.setAside(url, seen: seen) else {
        return DeliveryError(.notInStore, "the store holds no model \(digest)", file: objects.path)
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
    try damaged.setAside(folder(of: digest), seen: nil)
  }
}
