import Foundation

/// The records of names, `NAME.installed`: the versions of each name, the active one first.
struct NameRecords: Sendable {
  let folder: URL
  let lockFile: URL
  let damaged: DamagedItems

  func file(of name: String) -> URL { folder.appending(path: "\(name).installed") }

  func requireName(_ name: String) throws {
    guard InstalledModels.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
  }

  /// Returns the names of models in the store.
  func all() throws -> [String] {
    try StoreObjects.names(in: folder).filter { $0.hasSuffix(".installed") && !$0.hasPrefix(".") }
      .map { String($0.dropLast(".installed".count)) }
  }

  /// Returns the versions of a name; empty for an unknown name.
  func versions(of name: String) throws -> InstalledVersions {
    try requireName(name)
    let url = file(of: name)
    guard let record = try DurableFile.read(formatted: InstalledVersions.self, at: url) else {
      return InstalledVersions()
    }
    guard record.versions.allSatisfy({ TreeDigest.isDigest($0.digest) }) else {
      throw DeliveryError(.damagedRecord, "the record is not of the expected form", file: url.path)
    }
    return record
  }

  /// Changes the record of a name. The lock prevents lost updates of concurrent changes.
  func change(_ name: String, _ body: (inout InstalledVersions) -> Void) throws {
    try DeliveryDirectories.makeFolder(folder)
    let lock = FileLock(lockFile)
    defer { withExtendedLifetime(lock) {} }
    var versions = InstalledVersions()
    do { versions = try self.versions(of: name) } catch let error as DeliveryError where error.code == .damagedRecord {
      // The damaged record is set aside and replaced by an empty one.
      try setAside(name)
    }
    let before = versions
    body(&versions)
    if versions != before { try DurableFile.write(json: versions, to: file(of: name), mode: 0o644) }
  }

  /// Removes a name. Its models remain until they are pruned.
  func remove(_ name: String) throws {
    try requireName(name)
    let url = file(of: name)
    guard unlink(url.path) == 0 else {
      if errno == ENOENT {
        throw DeliveryError(.noSuchModel, "no installed model has the name '\(name)'", file: folder.path)
      }
      throw DeliveryError(.unwritable, "the name cannot be removed", at: url, errno: errno)
    }
    try FolderReplacement.synchronize(folder)
  }

  /// Sets an unreadable record aside. Until the name refers to a model again, the store keeps every model.
  @discardableResult func setAside(_ name: String) throws -> URL? {
    try damaged.setAside(file(of: name), seen: nil)
  }
}
