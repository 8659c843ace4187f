import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization

/// The models of a user: each kept once, found by its digest, and under names that say which version is used.
///
///     data/models/NAME.installed       which versions the name has had, the active one first
///     data/store/objects/DIGEST/       one model, never written again: model.mlpackage (or another form), object.json, and stamp.json,
///                                      what the file system said of its files when they were last known to be whole
///     data/store/damaged/              models that were found not to be what was put into the store, the newest few
///     data/store/damaged-records/      records of names that could not be read
///     data/store/pins/DIGEST           keeps a model that no name uses
///     data/store/leases/               what is in use
///     data/personal/NAME.json          which models were trained on this device for a name, and from what
///     data/store/staging/              what is being made, under names that tell the process
///
/// Any number of threads and processes may use one store at once. Everything appears and changes by renaming; nothing depends on locks,
/// which only spare work. After a crash, of a process or of the machine, everything that was there before is there still; what an
/// interrupted process left is removed by ``prune(_:_:)``.
public struct ModelStore: Sendable {
  /// Where the store, the names and the caches lie.
  public let places: DeliveryDirectories
  let objects: URL
  let pins: URL
  package let staging: URL
  let leases: LeaseTable
  /// Bytes that its models may take together, by default what `RuntimeLimits` in force say; nil for no limit. When one more does not fit,
  /// those that nothing needs go.
  public var sizeLimit: Int64? { didSet { unreadableLimit = nil } }
  /// Why it is not known what the limit is: nothing is added then.
  private(set) var unreadableLimit: String?
  /// Models whose files were read, where that cannot be noted in the store.
  static let readOnce = Mutex<[String: ModelContents.Stamp]>([:])

  /// The store of these places; its folders are made when something is added.
  public init(_ places: DeliveryDirectories) {
    self.places = places
    let store = places.data.appending(path: "store", directoryHint: .isDirectory)
    objects = store.appending(path: "objects", directoryHint: .isDirectory)
    pins = store.appending(path: "pins", directoryHint: .isDirectory)
    staging = store.appending(path: "staging", directoryHint: .isDirectory)
    leases = LeaseTable(folder: store.appending(path: "leases", directoryHint: .isDirectory))
    do { sizeLimit = try RuntimeLimits.inForce().storeSize.map { Int64($0) } } catch { unreadableLimit = "\(error)" }
  }

  /// A private folder on the store's file system, to make a model in.
  public func stagingFolder() throws -> StagingFolder { try StagingFolder(in: staging) }

  func folder(of digest: String) -> URL { objects.appending(path: digest, directoryHint: .isDirectory) }

  // MARK: looking

  /// The model of a digest.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`, `damagedRecord`; `unreadable` also where a later release wrote the record.
  public func model(_ digest: String) throws -> StoredModel {
    guard TreeDigest.isDigest(digest) else {
      throw DeliveryError(.notInStore, "'\(digest.prefix(80))' is no digest of a model: 64 hexadecimal digits")
    }
    try requireTrustedFolders()
    let folder = folder(of: digest)
    guard
      let record = try DurableFile.read(formatted: ObjectRecord.self, at: folder.appending(path: ObjectRecord.fileName))
    else {
      guard access(folder.path, F_OK) != 0 else {
        throw DeliveryError(
          .damagedRecord, "the record of the model is missing",
          file: folder.appending(path: ObjectRecord.fileName).path)
      }
      let aside = damagedItems().last { $0.lastPathComponent.hasPrefix(digest) }
      throw DeliveryError(
        .notInStore,
        "the store holds no model \(digest)"
          + (aside.map { ": it was damaged and set aside as \($0.path); installing it again mends it" } ?? ""),
        file: objects.path)
    }
    return StoredModel(
      digest: digest, form: record.form, origin: record.origin, personalOf: record.personalOf, size: record.size,
      added: record.added,
      url: folder.appending(
        path: record.form.fileName,
        directoryHint: [.mlmodel, .encrypted].contains(record.form) ? .notDirectory : .isDirectory))
  }

  /// The digests of all models.
  public func digests() throws -> [String] { try names(in: objects).filter(TreeDigest.isDigest) }

  func names(in folder: URL) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw DeliveryError(.unreadable, "the folder cannot be listed: \(reason(error))", file: folder.path)
    }
  }

  // MARK: adding

  /// Adds a model that stands in a private folder; it is taken from there. One that is in the store already is not added again.
  ///
  /// - Parameters:
  ///   - tree: a file or folder within ``stagingFolder()``, without links.
  ///   - expected: the digest that it must have.
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
    if let model = try present(digest) { return model }
    try requireRoom(for: contents.size)
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
    // File systems without such marks keep the model all the same.
    if origin == .fetched { _ = try? BackupExclusion.setExcluded(true, at: draft.url) }
    try DeliveryDirectories.makeFolder(objects)
    for _ in 0..<3 {
      if try FolderReplacement.installIfAbsent(folder(of: digest), with: draft.url) { return try self.model(digest) }
      if let model = try present(digest) { return model }
    }
    throw DeliveryError(.beingRemoved, "the model \(digest) comes and goes", file: objects.path)
  }

  /// The model of a digest if it is there and whole, marked as wanted; its files are read for that. What is there and not whole, or could
  /// have been written by others, is set aside.
  ///
  /// - Throws: ``DeliveryError`` `unreadable`, which may pass: nothing is set aside then.
  func present(_ digest: String) throws -> StoredModel? {
    try requireTrustedFolders()
    let folder = folder(of: digest)
    guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
    do {
      let model = try wholeModel(digest, fully: true)
      // A young model is not pruned before a name uses it.
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

  // MARK: use

  /// Keeps a model from being removed as long as the lease lives. What is damaged, as far as the file system tells without reading all of
  /// it, is set aside in place of that.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`, `beingRemoved`, `damagedModel`, `untrusted`, `unreadable`.
  public func lease(_ digest: String) throws -> ModelLease {
    guard TreeDigest.isDigest(digest) else { throw DeliveryError(.notInStore, "'\(digest.prefix(80))' is no digest") }
    let lease = try leases.lease(digest)
    _ = try wholeModel(digest)
    return ModelLease(lease, on: folder(of: digest))
  }

  /// Keeps a model that no name uses, until ``unpin(_:)``.
  public func pin(_ digest: String) throws {
    let lease = try lease(digest)
    try DurableFile.write(Array("pinned\n".utf8), to: pins.appending(path: digest))
    withExtendedLifetime(lease) {}
  }

  /// Lets a pinned model go again, which is no error where it is not pinned; throws ``DeliveryError`` `notInStore`, `unwritable`.
  public func unpin(_ digest: String) throws {
    guard TreeDigest.isDigest(digest) else { throw DeliveryError(.notInStore, "'\(digest.prefix(80))' is no digest") }
    if unlink(pins.appending(path: digest).path) != 0 && errno != ENOENT {
      throw DeliveryError(.unwritable, "the pin cannot be removed", at: pins.appending(path: digest), errno: errno)
    }
  }

  /// Whether a model is pinned: kept even where no name uses it.
  public func isPinned(_ digest: String) -> Bool {
    FileManager.default.fileExists(atPath: pins.appending(path: digest).path)
  }

  /// All pinned models.
  public func pinned() throws -> Set<String> { Set(try names(in: pins).filter(TreeDigest.isDigest)) }
}
