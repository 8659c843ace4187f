import CoreMLServingInterface

/// The models of a server by name and version. A value: the server keeps it behind a lock.
struct ModelRegistry {
  struct Version {
    var state = ModelStatus.State.loading
    /// Why the version is not ready, or why its last update failed.
    var reason = ""
    var served: ServedVersion?
  }

  struct Model {
    var versions: [String: Version] = [:]
    /// Versions that have been replaced and still have sequences or requests.
    var retiring: [ServedVersion] = []
  }

  var models: [String: Model] = [:]

  /// The version that answers a request.
  func find(_ name: String, _ version: String?, sequence: SequenceStep? = nil) throws(ServingError) -> ServedVersion {
    guard let model = models[name] else { throw ServingError(.notFound, "There is no model '\(name)'.") }
    // A sequence stays with the version that it began with.
    if let sequence, !sequence.isStart,
      let retiring = model.retiring.first(where: { $0.sequences?.contains(sequence.id) ?? false })
    {
      return retiring
    }
    if let version {
      guard let found = model.versions[version] else {
        throw ServingError(
          .notFound, "The model '\(name)' has no version '\(version)'; it has \(model.versions.keys.sorted()).")
      }
      guard let served = found.served else { throw Self.notReady(name, version, found) }
      return served
    }
    guard let newest = Self.sorted(model.versions.filter { $0.value.served != nil }.keys).last,
      let served = model.versions[newest]?.served
    else {
      let newest = Self.sorted(model.versions.keys).last ?? ""
      throw Self.notReady(name, newest, model.versions[newest] ?? Version())
    }
    return served
  }

  private static func notReady(_ name: String, _ version: String, _ found: Version) -> ServingError {
    let reason = found.reason.isEmpty ? "" : ": \(found.reason)"
    return ServingError(
      .unavailable, "The model '\(name)' is not ready, its version '\(version)' is \(found.state.rawValue)\(reason)")
  }

  /// Versions from the oldest to the newest. Numbers are compared as numbers.
  static func sorted(_ versions: some Sequence<String>) -> [String] {
    versions.sorted { one, other in
      switch (UInt64(one), UInt64(other)) {
      case (let a?, let b?): a == b ? one < other : a < b
      case (nil, .some): true
      case (.some, nil): false
      case (nil, nil): one < other
      }
    }
  }

  /// All versions that answer.
  var served: [ServedVersion] { models.values.flatMap { $0.versions.values.compactMap(\.served) } }

  var statuses: [ModelStatus] {
    models.keys.sorted().flatMap { name in
      let versions = models[name]?.versions ?? [:]
      return Self.sorted(versions.keys).compactMap { version in
        versions[version].map { ModelStatus(name: name, version: version, state: $0.state, reason: $0.reason) }
      }
    }
  }

  /// The ready versions of a model, oldest first.
  func readyVersions(_ name: String) -> [String] {
    Self.sorted((models[name]?.versions ?? [:]).filter { $0.value.served != nil }.keys)
  }

  /// Makes a version the one that answers. Returns the one that it replaces.
  mutating func install(_ new: ServedVersion) -> ServedVersion? {
    var model = models[new.name] ?? Model()
    let old = model.versions[new.version]?.served
    model.versions[new.version] = Version(state: .ready, served: new)
    if let old { model.retiring.append(old) }
    models[new.name] = model
    return old
  }

  /// Takes a version out of the routes. Returns it if it was ready.
  mutating func retire(_ name: String, _ version: String) -> ServedVersion? {
    guard let served = models[name]?.versions[version]?.served else { return nil }
    models[name]?.versions[version]?.served = nil
    models[name]?.versions[version]?.state = .unloading
    models[name]?.retiring.append(served)
    return served
  }

  /// A retired version has drained.
  mutating func drained(_ old: ServedVersion) {
    models[old.name]?.retiring.removeAll { $0 === old }
    if models[old.name]?.versions[old.version]?.state == .unloading {
      models[old.name]?.versions[old.version]?.state = .unavailable
      models[old.name]?.versions[old.version]?.reason = "unloaded"
    }
  }

  /// Forgets a version that is not served.
  mutating func forget(_ name: String, _ version: String) {
    guard let found = models[name]?.versions[version], found.served == nil else { return }
    models[name]?.versions[version] = nil
    if models[name]?.versions.isEmpty ?? false, models[name]?.retiring.isEmpty ?? true { models[name] = nil }
  }
}
