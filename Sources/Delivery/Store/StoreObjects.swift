import CoreMLBase
import CoreMLSpec
import Foundation

/// The models on disk, each in a folder named after its digest.
struct StoreObjects: Sendable {
  let folder: URL
  /// The data directory, which contains the store.
  let data: URL
  let damage: StoreDamage

  init(_ places: DeliveryDirectories) {
    data = places.data
    folder = places.data.appending(path: "store/objects", directoryHint: .isDirectory)
    damage = StoreDamage(places)
  }

  func folder(of digest: String) -> URL { folder.appending(path: digest, directoryHint: .isDirectory) }

  /// Returns the model of a digest.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`, `damagedRecord`; `unreadable`, also for a record in a newer format.
  func model(_ digest: String) throws -> StoredModel {
    guard TreeDigest.isDigest(digest) else {
      throw DeliveryError(.notInStore, "'\(digest.prefix(80))' is no digest of a model: 64 hexadecimal digits")
    }
    try requireTrustedFolders()
    let own = self.folder(of: digest)
    guard
      let record = try DurableFile.read(formatted: ObjectRecord.self, at: own.appending(path: ObjectRecord.fileName))
    else {
      guard access(own.path, F_OK) != 0 else {
        throw DeliveryError(
          .damagedRecord, "the record of the model is missing",
          file: own.appending(path: ObjectRecord.fileName).path)
      }
      let aside = damage.items().last { $0.lastPathComponent.hasPrefix(digest) }
      throw DeliveryError(
        .notInStore,
        "the store holds no model \(digest)"
          + (aside.map { ": it was damaged and set aside as \($0.path); installing it again repairs it" } ?? ""),
        file: folder.path)
    }
    return StoredModel(
      digest: digest, form: record.form, origin: record.origin, personalOf: record.personalOf, size: record.size,
      added: record.added,
      url: own.appending(
        path: record.form.fileName,
        directoryHint: [.mlmodel, .encrypted].contains(record.form) ? .notDirectory : .isDirectory))
  }

  /// Returns the digests of all models.
  func digests() throws -> [String] { try Self.names(in: folder).filter(TreeDigest.isDigest) }

  static func names(in folder: URL) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw DeliveryError(.unreadable, "the folder cannot be listed: \(reason(error))", file: folder.path)
    }
  }

  /// Rejects a store that other users could have written to.
  ///
  /// - Throws: ``DeliveryError`` `untrusted`.
  func requireTrustedFolders() throws {
    let trust = FileTrust.process
    try trust.require(folder: data, followingLink: true)
    try trust.require(folder: folder.deletingLastPathComponent())
    try trust.require(folder: folder)
  }
}
