import Foundation

/// Names of models and their versions.
extension ModelStore {
  func record(of name: String) -> URL { places.models.appending(path: "\(name).installed") }

  private func requireName(_ name: String) throws {
    guard InstalledModels.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
  }

  /// Returns the versions of a name; empty for an unknown name.
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

  /// Returns the active model of a name; nil if it has none in the store.
  public func active(name: String) throws -> StoredModel? {
    try versions(name: name).active.map { try model($0.digest) }
  }

  /// Returns the active model of a name with a lease on it.
  ///
  /// - Throws: ``DeliveryError`` `noSuchModel`.
  public func open(name: String) throws -> (model: StoredModel, lease: ModelLease) {
    // The model may be replaced and removed between reading the name and acquiring the lease.
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

  /// Returns the names of models in the store.
  public func activeNames() throws -> [String] {
    try names(in: places.models).filter { $0.hasSuffix(".installed") && !$0.hasPrefix(".") }
      .map { String($0.dropLast(".installed".count)) }
  }

  /// Makes a name refer to a model in the store. Its previous model becomes the previous version.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`; `beingRemoved` if another process is removing the model.
  public func activate(name: String, digest: String) throws {
    try requireName(name)
    let lease = try lease(digest)
    try change(name) { $0.activate(digest, at: Date()) }
    // A removal that has not checked for leases yet gives way. If an earlier removal has completed, this throws.
    _ = try model(digest)
    withExtendedLifetime(lease) {}
  }

  /// Makes a name refer to its previous version again. The version active until now is removed from the history.
  ///
  /// - Returns: the version that is now active.
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

  /// Makes a name refer to a model and clears its history.
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

  /// Removes a name. Its models remain until they are pruned.
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

  /// Changes the record of a name. The lock prevents lost updates of concurrent changes.
  private func change(_ name: String, _ body: (inout InstalledVersions) -> Void) throws {
    try DeliveryDirectories.makeFolder(places.models)
    let lock = FileLock(staging.appending(path: "names.lock"))
    defer { withExtendedLifetime(lock) {} }
    var versions = InstalledVersions()
    do { versions = try self.versions(name: name) } catch let error as DeliveryError where error.code == .damagedRecord
    {
      // The damaged record is set aside and replaced by an empty one.
      try setAsideRecord(of: name)
    }
    let before = versions
    body(&versions)
    if versions != before { try DurableFile.write(json: versions, to: record(of: name), mode: 0o644) }
  }

  /// Returns the digests of the models that must be kept: active models, their `previous` earlier versions, pinned
  /// models and personalised models. If the record of any name is damaged or unreadable, that name may refer to any
  /// model. Then all models must be kept.
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
