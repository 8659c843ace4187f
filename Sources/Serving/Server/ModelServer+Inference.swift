import CoreMLServingInterface

extension ModelServer {
  package func admit(
    model: String, version: String?, byteCount: Int, deadline: ContinuousClock.Instant?
  ) throws(ServingError) {
    guard !isClosed else { throw Self.draining }
    let served = try find(model, version)
    do throws(ServingError) {
      try ledger.admit(byteCount)
      try served.admit(deadline: deadline)
    } catch {
      served.statistics.add(error, total: .zero)
      throw error
    }
  }

  package func infer(_ request: InferenceRequest) async throws(ServingError) -> InferenceAnswer {
    try enter()
    defer { leave() }
    let served = try acquire(request)
    defer { served.release() }
    let reservation: MemoryReservation
    do throws(ServingError) {
      reservation = try ledger.reserve(request.inputs.reduce(0) { $0 + $1.byteCount }, for: "The request")
    } catch {
      served.statistics.add(error, total: .zero)
      throw error
    }
    defer { withExtendedLifetime(reservation) {} }
    return try await served.run(request)
  }

  /// The version that answers the request. It stays until it is released.
  private func acquire(_ request: InferenceRequest) throws(ServingError) -> ServedVersion {
    let result: Result<ServedVersion, ServingError> = registry.withLock { registry in
      do throws(ServingError) {
        let found = try registry.find(request.model, request.version, sequence: request.sequence)
        found.acquire()
        return .success(found)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  func find(_ model: String, _ version: String?) throws(ServingError) -> ServedVersion {
    let result: Result<ServedVersion, ServingError> = registry.withLock { registry in
      do throws(ServingError) { return .success(try registry.find(model, version)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  // MARK: descriptions

  package func metadata(model: String, version: String?) throws(ServingError) -> ModelMetadata {
    let served = try find(model, version)
    let versions = version.map { [$0] } ?? registry.withLock { $0.readyVersions(model) }
    return served.opened.metadata(model, versions)
  }

  package func statistics(model: String?, version: String?) throws(ServingError) -> [ModelStatistics] {
    guard let model else {
      let served = registry.withLock { registry in
        registry.models.keys.sorted().flatMap { name in
          registry.readyVersions(name).compactMap { registry.models[name]?.versions[$0]?.served }
        }
      }
      return served.map(\.currentStatistics)
    }
    if let version { return [try find(model, version).currentStatistics] }
    _ = try find(model, nil)
    let served = registry.withLock { registry in
      registry.readyVersions(model).compactMap { registry.models[model]?.versions[$0]?.served }
    }
    return served.map(\.currentStatistics)
  }

  package func index(readyOnly: Bool) -> [ModelStatus] {
    let known = registry.withLock(\.statuses)
    if readyOnly { return known.filter { $0.state == .ready } }
    let names = Set(known.map { "\($0.name)/\($0.version)" })
    let others = catalog.sources().filter { !names.contains("\($0.name)/\($0.version)") }.map { source in
      ModelStatus(
        name: source.name, version: source.version, state: .unavailable,
        reason: source.isComplete ? "not loaded" : "the files are not complete")
    }
    return (known + others).sorted { ($0.name, $0.version) < ($1.name, $1.version) }
  }
}
