import Foundation

/// Names of models, and which version each stands for.
extension ModelStore {
  func record(of name: String) -> URL { places.models.appending(path: "\(name).installed") }

  private func requireName(_ name: String) throws {
    guard InstalledModels.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
  }

  /// The versions that a name has had; none for a name that is not known.
  public func versions(name: String) throws -> InstalledVersions {
    try requireName(name)
    let url = record(of: name)
    guard let record = try DurableFile.read(formatted: InstalledVersions.self, at: url) else {
      return InstalledVersions()
    }
    guard record.versions.allSatisfy({ TreeDigest.isDigest($0.digest) }) else {
      throw DeliveryError(.damagedRecord, "the record is not of the expected form", file: url.path)
    }
    return record
  }

  /// The model that a name stands for; nil when it stands for none of the store.
  public func active(name: String) throws -> StoredModel? {
    try versions(name: name).active.map { try model($0.digest) }
  }

  /// The model that a name stands for, with a lease on it.
  ///
  /// - Throws: ``DeliveryError`` `noSuchModel`.
  public func open(name: String) throws -> (model: StoredModel, lease: ModelLease) {
    // Between reading the name and the lease, another version may have taken its place and the old one gone.
    var attempts = 3
    while true {
      guard let digest = try versions(name: name).active?.digest else {
        throw DeliveryError(.noSuchModel, "no installed model has the name '\(name)'", file: places.models.path)
      }
      do {
        let lease = try lease(digest)
        return (try model(digest), lease)
      } catch let error as DeliveryError where error.code == .notInStore {
        attempts -= 1
        if attempts == 0 { throw error }
      }
    }
  }

  /// The names that stand for a model of the store.
  public func activeNames() throws -> [String] {
    try names(in: places.models).filter { $0.hasSuffix(".installed") && !$0.hasPrefix(".") }
      .map { String($0.dropLast(".installed".count)) }
  }

  /// Has a name stand for a model of the store. What it stood for is kept as the version before.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`, `beingRemoved` when another process removes the model at this moment.
  public func activate(name: String, digest: String) throws {
    try requireName(name)
    let lease = try lease(digest)
    try change(name) { $0.activate(digest, at: Date()) }
    // A removal that began before the lease gives way; one that was past that point has left nothing.
    _ = try model(digest)
    withExtendedLifetime(lease) {}
  }

  /// Has a name stand for the version before again; the one that it stood for is forgotten.
  ///
  /// - Returns: the version that is active now.
  @discardableResult public func rollBack(name: String) throws -> StoredModel {
    let versions = try versions(name: name)
    guard let bad = versions.active else {
      throw DeliveryError(.noSuchModel, "no installed model has the name '\(name)'", file: places.models.path)
    }
    for version in versions.versions.dropFirst() {
      guard let lease = try? lease(version.digest), let model = try? model(version.digest) else { continue }
      try change(name) {
        $0.activate(version.digest, at: Date())
        $0.remove(bad.digest)
      }
      withExtendedLifetime(lease) {}
      return model
    }
    throw DeliveryError(.noEarlierVersion, "'\(name)' has no earlier version", file: record(of: name).path)
  }

  /// Has a name stand for a model and forget those before it.
  func point(name: String, at digest: String) throws {
    try requireName(name)
    let lease = try lease(digest)
    try change(name) { versions in
      versions = InstalledVersions()
      versions.activate(digest, at: Date())
    }
    _ = try model(digest)
    withExtendedLifetime(lease) {}
  }

  /// Forgets a name. Its models stay until they are pruned.
  public func remove(name: String) throws {
    try requireName(name)
    let url = record(of: name)
    guard unlink(url.path) == 0 else {
      if errno == ENOENT {
        throw DeliveryError(.noSuchModel, "no installed model has the name '\(name)'", file: places.models.path)
      }
      throw DeliveryError(.unwritable, "the name cannot be removed", at: url, errno: errno)
    }
    try FolderReplacement.synchronize(places.models)
  }

  /// The lock only keeps two changes at one moment from losing the history that the other noted.
  private func change(_ name: String, _ body: (inout InstalledVersions) -> Void) throws {
    try DeliveryDirectories.makeFolder(places.models)
    let lock = FileLock(staging.appending(path: "names.lock"))
    defer { withExtendedLifetime(lock) {} }
    var versions = InstalledVersions()
    do { versions = try self.versions(name: name) } catch let error as DeliveryError where error.code == .damagedRecord
    {
      // It is begun anew.
      try setAsideRecord(of: name)
    }
    let before = versions
    body(&versions)
    if versions != before { try DurableFile.write(json: versions, to: record(of: name), mode: 0o644) }
  }

  /// The models that names need: what each stands for, `previous` versions before it, and what was made of them on this device. Nobody knows
  /// what a name stands for whose record is damaged or cannot be read here: as long as there is one, that is any model.
  func needed(previous: Int) throws -> Set<String> {
    var needed = try pinned()
    for record in try personalRecords().values { needed.formUnion(record.models.map(\.tree)) }
    var lost = namesOfDamagedRecords()
    for name in try activeNames() {
      do {
        let all = try versions(name: name).versions
        needed.formUnion((all.prefix(1) + all.dropFirst().prefix(max(previous, 0))).map(\.digest))
        lost.remove(name)
      } catch let error as DeliveryError where [.damagedRecord, .unreadable].contains(error.code) {
        lost.insert(name)
      }
    }
    if !lost.isEmpty { needed.formUnion(try digests()) }
    return needed
  }
}
