import CoreMLBase
import CoreMLRuntime
import Foundation

/// A user's models. Each is stored once, identified by its digest. Names refer to the version in use.
///
///     data/models/NAME.installed       the versions of a name, the active one first
///     data/store/objects/DIGEST/       one immutable model: model.mlpackage (or another form), object.json, and
///                                      stamp.json, the metadata of its files when they were last verified
///     data/store/damaged/              damaged models that were set aside; only the newest are kept
///     data/store/damaged-records/      unreadable records of names
///     data/store/pins/DIGEST           protects a model without a name
///     data/store/leases/               the models in use
///     data/personal/NAME.json          the models trained on this device for a name, and their bases
///     data/store/staging/              temporary items, named after the process that creates them
///
/// Threads and processes may use a store concurrently. All changes are atomic renames, and locks only avoid duplicate
/// work. A crash of a process or of the machine loses no earlier content. ``prune(_:_:)`` removes the leftovers of
/// interrupted processes.
public struct ModelStore: Sendable {
  /// The directories of the store, the names and the caches.
  public let places: DeliveryDirectories
  let objects: StoreObjects
  let names: NameRecords
  let personalRecords: PersonalRecords
  let pins: URL
  package let staging: URL
  let leases: LeaseTable
  /// The limit on the total size of the models in bytes, by default from `RuntimeLimits`; nil for no limit. To add a
  /// model beyond the limit, the store removes models that nothing needs.
  public var sizeLimit: Int64? { didSet { unreadableLimit = nil } }
  /// Why the limit could not be read. Nothing can be added then.
  private(set) var unreadableLimit: String?

  /// Creates the store of these directories. Folders are created when a model is added.
  public init(_ places: DeliveryDirectories) {
    self.places = places
    let store = places.data.appending(path: "store", directoryHint: .isDirectory)
    objects = StoreObjects(places)
    personalRecords = PersonalRecords(folder: places.data.appending(path: "personal", directoryHint: .isDirectory))
    pins = store.appending(path: "pins", directoryHint: .isDirectory)
    staging = store.appending(path: "staging", directoryHint: .isDirectory)
    names = NameRecords(
      folder: places.models, lockFile: staging.appending(path: "names.lock"), damaged: objects.damage.records)
    leases = LeaseTable(folder: store.appending(path: "leases", directoryHint: .isDirectory))
    do { sizeLimit = try RuntimeLimits.inForce().storeSize.map { Int64($0) } } catch { unreadableLimit = "\(error)" }
  }

  /// Creates a private folder on the store's file system, for assembling a model.
  public func stagingFolder() throws -> StagingFolder { try StagingFolder(in: staging) }

  var integrity: StoreIntegrity {
    StoreIntegrity(objects: objects, staging: staging, leases: leases, personal: personalRecords)
  }
  var retention: StoreRetention { StoreRetention(store: self) }

  func folder(of digest: String) -> URL { objects.folder(of: digest) }

  // MARK: lookup

  /// Returns the model of a digest.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`, `damagedRecord`; `unreadable`, also for a record in a newer format.
  public func model(_ digest: String) throws -> StoredModel { try objects.model(digest) }

  /// Returns the digests of all models.
  public func digests() throws -> [String] { try objects.digests() }

  /// Returns the damaged items that were set aside: models, oldest first, then records of names.
  public func damagedItems() -> [URL] { objects.damage.items() }

  // MARK: adding

  /// Moves a model from a private folder into the store. A model that is in the store already is not added again.
  ///
  /// - Parameters:
  ///   - tree: a file or folder within ``stagingFolder()``, without links.
  ///   - expected: the required digest; nil accepts any.
  /// - Throws: ``DeliveryError`` `wrongTree`, `notAModel`, `unwritable`.
  @discardableResult
  public func add(tree: URL, expected: String? = nil, origin: StoredModel.Origin) throws -> StoredModel {
    try add(tree: tree, expected: expected, origin: origin, personalOf: nil)
  }

  func add(
    tree: URL, expected: String?, origin: StoredModel.Origin, personalOf: String?
  ) throws -> StoredModel {
    let form = try StoredModel.Form(of: tree)
    let contents = try ModelContents(of: tree)
    try contents.requireNoLinks(below: tree)
    let digest = TreeDigest.digest(of: try contents.files(below: tree))
    if let expected, digest != expected {
      throw DeliveryError(.wrongTree, "expected a model with the digest \(expected), found \(digest)", file: tree.path)
    }
    if let model = try integrity.present(digest) { return model }
    try retention.requireRoom(for: contents.size)
    let draft = try stagingFolder()
    let model = draft.url.appending(path: form.fileName)
    guard rename(tree.path, model.path) == 0 else {
      throw DeliveryError(.unwritable, "the model cannot be moved", at: tree, errno: errno)
    }
    try contents.makeReadOnly(below: model)
    let record = ObjectRecord(
      form: form, origin: origin, personalOf: personalOf, size: contents.size, files: contents.entries.count,
      added: Date())
    try DurableFile.write(json: record, to: draft.url.appending(path: ObjectRecord.fileName), mode: 0o644)
    try DeliveryDirectories.keepToOwner(draft.url)
    let stamp = ModelContents.Stamp(try ModelContents(of: model))
    try DurableFile.write(json: stamp, to: draft.url.appending(path: ModelContents.Stamp.fileName), mode: 0o644)
    // On file systems without these marks, the model is stored without them.
    if origin == .fetched { _ = try? BackupExclusion.setExcluded(true, at: draft.url) }
    try DeliveryDirectories.makeFolder(objects.folder)
    for _ in 0..<3 {
      if try FolderReplacement.installIfAbsent(folder(of: digest), with: draft.url) { return try self.model(digest) }
      if let model = try integrity.present(digest) { return model }
    }
    throw DeliveryError(.beingRemoved, "the model \(digest) comes and goes", file: objects.folder.path)
  }

  // MARK: leases and pins

  /// Protects a model from removal while the lease is alive. If file metadata reveals damage, the model is set aside
  /// instead.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`, `beingRemoved`, `damagedModel`, `untrusted`, `unreadable`.
  public func lease(_ digest: String) throws -> ModelLease {
    guard TreeDigest.isDigest(digest) else { throw DeliveryError(.notInStore, "'\(digest.prefix(80))' is no digest") }
    let lease = try leases.lease(digest)
    _ = try integrity.wholeModel(digest)
    return ModelLease(lease, on: folder(of: digest))
  }

  /// Protects a model without a name from removal, until ``unpin(_:)``.
  public func pin(_ digest: String) throws {
    let lease = try lease(digest)
    try DurableFile.write(Array("pinned\n".utf8), to: pins.appending(path: digest))
    withExtendedLifetime(lease) {}
  }

  /// Removes a pin; a missing pin is not an error. Throws ``DeliveryError`` `notInStore`, `unwritable`.
  public func unpin(_ digest: String) throws {
    guard TreeDigest.isDigest(digest) else { throw DeliveryError(.notInStore, "'\(digest.prefix(80))' is no digest") }
    if unlink(pins.appending(path: digest).path) != 0 && errno != ENOENT {
      throw DeliveryError(.unwritable, "the pin cannot be removed", at: pins.appending(path: digest), errno: errno)
    }
  }

  /// Returns whether a model is pinned, which protects it even without a name.
  public func isPinned(_ digest: String) -> Bool {
    FileManager.default.fileExists(atPath: pins.appending(path: digest).path)
  }

  /// Returns the digests of all pinned models.
  public func pinned() throws -> Set<String> { Set(try StoreObjects.names(in: pins).filter(TreeDigest.isDigest)) }
}
