import CoreMLServingInterface
import Foundation

extension ModelServer {
  // MARK: on request

  package func load(model: String, parameters: [String: ParameterValue]) async throws(ServingError) {
    try requireExplicit()
    for name in parameters.keys.sorted() {
      guard name == "allow_interface_change" else {
        throw ServingError(.unsupported, "Loading with the parameter '\(name)' is not supported.")
      }
    }
    guard catalog.sources().contains(where: { $0.name == model }) else {
      throw ServingError(.notFound, "failed to load '\(model)', there is no such model.")
    }
    let allowsChange = parameters["allow_interface_change"] == .bool(true)
    switch await update(model, isForced: true, allowsChange: allowsChange) {
    case .success: break
    case .failure(let error):
      throw ServingError(error.code, "failed to load '\(model)': \(error.message)", retryAfter: error.retryAfter)
    }
  }

  package func unload(model: String, parameters: [String: ParameterValue]) async throws(ServingError) {
    try requireExplicit()
    guard registry.withLock({ $0.models[model] != nil }) else {
      throw ServingError(.notFound, "There is no model '\(model)'.")
    }
    // A function leaves with the model that it belongs to.
    await remove(registry.withLock { $0.served.first { $0.name == model }?.base } ?? model)
  }

  private func remove(_ base: String) async {
    _ = await operations.run(base, kind: "unload") { [self] in
      required.withLock { _ = $0.remove(base) }
      for old in retire(base: base, where: { _ in true }) { await drain(old) }
      return .success(())
    }
  }

  private func requireExplicit() throws(ServingError) {
    guard settings.control == .explicit else {
      throw ServingError(
        .unsupported, "Models are loaded and unloaded by request only with --model-control explicit.")
    }
    guard !isClosed else { throw Self.draining }
  }

  // MARK: following files

  /// Loads what is new, and unloads what is gone.
  package func synchronize() async {
    let sources = catalog.sources()
    let names = Set(sources.map(\.name))
    for name in names.sorted() where hasChanged(name, sources) { _ = await update(name, isForced: false) }
    let bases = Set(registry.withLock { $0.served.map(\.base) })
    for gone in bases.subtracting(names).sorted() { await remove(gone) }
  }

  private func hasChanged(_ name: String, _ sources: [ModelSource]) -> Bool {
    let wanted = wanted(name, sources)
    let served = registry.withLock { registry in
      (registry.models[name]?.versions ?? [:]).compactMapValues { $0.served?.fingerprint }
    }
    let failed = failed.withLock { $0 }
    return wanted.contains {
      served[$0.version] != $0.fingerprint && failed["\(name)/\($0.version)"] != $0.fingerprint
    }
  }

  /// The complete sources of a model that the version policy serves, oldest first.
  private func wanted(_ name: String, _ sources: [ModelSource]) -> [ModelSource] {
    let complete = sources.filter { $0.name == name && $0.isComplete }
    let order = ModelRegistry.sorted(complete.map(\.version))
    return order.suffix(settings.versions ?? order.count).compactMap { version in
      complete.first { $0.version == version }
    }
  }

  // MARK: updates

  /// Brings a model to its newest versions. The old ones answer until the new ones are ready, and stay if those fail.
  func update(_ name: String, isForced: Bool, allowsChange: Bool = false) async -> Result<Void, ServingError> {
    await operations.run(name, kind: "load") { [self] in
      let wanted = wanted(name, catalog.sources())
      guard !wanted.isEmpty else {
        return .failure(ServingError(.unavailable, "The files of the model are not complete."))
      }
      var problem: ServingError?
      for source in wanted {
        let key = "\(name)/\(source.version)"
        if !isForced {
          let isServed = registry.withLock { registry in
            registry.models[name]?.versions[source.version]?.served?.fingerprint == source.fingerprint
          }
          if isServed || failed.withLock({ $0[key] == source.fingerprint }) { continue }
        }
        do throws(ServingError) {
          try await replace(source, allowsChange: allowsChange)
          failed.withLock { $0[key] = nil }
        } catch {
          problem = error
          failed.withLock { $0[key] = source.fingerprint }
          note(error, source)
        }
      }
      if let problem { return .failure(problem) }
      let versions = Set(wanted.map(\.version))
      for old in retire(base: name, where: { !versions.contains($0.version) }) { drainInBackground(old, forgets: true) }
      return .success(())
    }
  }

  /// Loads a source beside the version that answers, compares the two, and swaps them.
  private func replace(_ source: ModelSource, allowsChange: Bool) async throws(ServingError) {
    registry.withLock { registry in
      guard registry.models[source.name]?.versions[source.version]?.served == nil else { return }
      registry.models[source.name, default: .init()].versions[source.version] = .init()
    }
    let isBusy = registry.withLock { !$0.served.isEmpty }
    let open = open
    let start = ContinuousClock.now
    let opened = try await LoaderThread.run(isLow: isBusy) { () throws(ServingError) in try open(source) }
    var admitted: [(name: String, opened: OpenedModel, memory: MemoryReservation)] = []
    for opened in opened {
      let name = opened.function.map { "\(source.name).\($0)" } ?? source.name
      if !(allowsChange || settings.allowsInterfaceChange) { try compare(name, opened) }
      admitted.append((name, opened, try ledger.reserve(opened.memoryBytes, for: "The model '\(name)'")))
    }
    let new = admitted.map { name, opened, memory in
      ServedVersion(
        name: name, version: source.version, base: source.name, opened, fingerprint: source.fingerprint,
        scheduler: scheduler, memory: memory, maximumWait: settings.maximumWait)
    }
    let old = registry.withLock { registry in new.compactMap { registry.install($0) } }
    for old in old { drainInBackground(old, forgets: false) }
    // Functions that the new files lack.
    let lost = retire(base: source.name) { $0.version == source.version && $0.fingerprint != source.fingerprint }
    for old in lost { drainInBackground(old, forgets: true) }
    logger.info(
      "The model '\(source.name)' is ready, version \(source.version), after \((ContinuousClock.now - start).milliseconds)."
    )
  }

  private func compare(_ name: String, _ opened: OpenedModel) throws(ServingError) {
    guard let current = try? find(name, nil) else { return }
    let difference = InterfaceComparison.difference(
      from: current.opened.metadata(name, []), to: opened.metadata(name, []))
    if let difference {
      throw ServingError(.invalidArgument, "The update has another interface: \(difference).")
    }
  }

  private func note(_ error: ServingError, _ source: ModelSource) {
    logger.error("The model '\(source.name)', version \(source.version), cannot be loaded: \(error.message)")
    registry.withLock { registry in
      var version = registry.models[source.name]?.versions[source.version] ?? .init()
      if version.served == nil { version.state = .unavailable }
      version.reason = version.served == nil ? error.message : "The update failed: \(error.message)"
      registry.models[source.name, default: .init()].versions[source.version] = version
    }
  }

  // MARK: leaving

  /// Takes versions of a source and its functions out of the routes.
  private func retire(base: String, where isOld: (ServedVersion) -> Bool) -> [ServedVersion] {
    registry.withLock { registry in
      let old = registry.served.filter { $0.base == base && isOld($0) }
      return old.compactMap { registry.retire($0.name, $0.version) }
    }
  }

  private func drain(_ old: ServedVersion) async {
    await old.drain(endsSequences: true)
    registry.withLock { $0.drained(old) }
  }

  private func drainInBackground(_ old: ServedVersion, forgets: Bool) {
    Task { [weak self] in
      await old.drain()
      self?.registry.withLock { registry in
        registry.drained(old)
        if forgets { registry.forget(old.name, old.version) }
      }
    }
  }
}
