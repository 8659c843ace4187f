import CoreMLBase
import CoreMLSpec
import Foundation

/// The store does not believe its files: what is not what was put into it is set aside before it answers.
extension ModelStore {
  private var damaged: DamagedItems {
    DamagedItems(folder: places.data.appending(path: "store/damaged", directoryHint: .isDirectory))
  }

  /// Records are small, and tell what was there.
  private var damagedRecords: DamagedItems {
    DamagedItems(folder: places.data.appending(path: "store/damaged-records", directoryHint: .isDirectory), limit: 64)
  }

  /// What was found damaged: models, the oldest first, then records of names.
  public func damagedItems() -> [URL] { damaged.items() + damagedRecords.items() }

  /// Takes a name's record that cannot be read out of use. Until the name stands for a model again, ``needed(previous:)`` counts every model.
  @discardableResult func setAsideRecord(of name: String) throws -> URL? {
    try damagedRecords.setAside(record(of: name), seen: nil)
  }

  /// Names whose records were set aside.
  func namesOfDamagedRecords() -> Set<String> {
    Set(
      damagedRecords.items().compactMap { url in
        let file = url.lastPathComponent
        return file.range(of: ".installed-", options: .backwards).map { String(file[..<$0.lowerBound]) }
      })
  }

  /// Refuses a store that others could have written to.
  ///
  /// - Throws: ``DeliveryError`` `untrusted`.
  func requireTrustedFolders() throws {
    let trust = FileTrust.process
    try trust.require(folder: places.data, followingLink: true)
    try trust.require(folder: objects.deletingLastPathComponent())
    try trust.require(folder: objects)
  }

  /// Makes sure that a model is what was put into the store. As long as the file system says the same of its files as it did then, that is
  /// enough; otherwise, or when everything is asked for, they are read again.
  ///
  /// - Throws: ``DeliveryError`` `damagedModel` when it is not, and it is set aside then; `untrusted`, `unreadable`.
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
    // A store that cannot be written is read once a process.
    Self.readOnce.withLock { $0[model.digest] = stamp }
    try? DurableFile.write(json: stamp, to: file, mode: 0o644, drafts: staging)
  }

  /// What a disk does not give at once is asked for again: some faults pass.
  static func digest(of contents: ModelContents, below url: URL) throws -> String {
    for attempt in 0..<2 {
      do { return TreeDigest.digest(of: try contents.files(below: url)) } catch let error as DeliveryError
        where error.isOfMedium
      { usleep(UInt32(100_000 << attempt)) }
    }
    return TreeDigest.digest(of: try contents.files(below: url))
  }

  /// The same of the model of a digest, which it gives. A record that is damaged is made anew.
  func wholeModel(_ digest: String, fully: Bool = false) throws -> StoredModel {
    let model: StoredModel
    do { model = try self.model(digest) } catch let error as DeliveryError
      where error.code == .damagedRecord || error.isOfMedium
    { model = try withRecordMended(digest) }
    try requireWhole(model, fully: fully)
    return model
  }

  /// Takes a model out of use because it is damaged; says so.
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
      .damagedModel, "the model \(digest) is damaged: \(what); \(outcome); installing it again mends it", file: url.path
    )
  }

  /// Takes a model out of use, whatever is wrong with it.
  @discardableResult func setAside(_ digest: String) throws -> URL? {
    try damaged.setAside(folder(of: digest), seen: nil)
  }
}
