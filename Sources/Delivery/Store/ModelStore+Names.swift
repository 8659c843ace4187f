import Foundation

/// Names of models and their versions.
extension ModelStore {
  /// Returns the names of models in the store.
  public func activeNames() throws -> [String] { try names.all() }

  /// Returns the versions of a name; empty for an unknown name.
  public func versions(name: String) throws -> InstalledVersions { try names.versions(of: name) }

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

  /// Makes a name refer to a model in the store. Its previous model becomes the previous version.
  ///
  /// - Throws: ``DeliveryError`` `notInStore`; `beingRemoved` if another process is removing the model.
  public func activate(name: String, digest: String) throws {
    try names.requireName(name)
    let lease = try lease(digest)
    try names.change(name) { $0.activate(digest, at: Date()) }
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
      try names.change(name) {
        $0.activate(version.digest, at: Date())
        $0.remove(bad.digest)
      }
      withExtendedLifetime(lease) {}
      return model
    }
    throw DeliveryError(.noEarlierVersion, "'\(name)' has no earlier version", file: names.file(of: name).path)
  }

  /// Makes a name refer to a model and clears its history.
  func setName(_ name: String, to digest: String) throws {
    try names.requireName(name)
    let lease = try lease(digest)
    try names.change(name) { versions in
      versions = InstalledVersions()
      versions.activate(digest, at: Date())
    }
    _ = try model(digest)
    withExtendedLifetime(lease) {}
  }

  /// Removes a name. Its models remain until they are pruned.
  public func remove(name: String) throws { try names.remove(name) }
}
