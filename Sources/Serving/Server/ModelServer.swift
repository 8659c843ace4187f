import CoreMLServingInterface
import Foundation
import Logging
import Synchronization

/// An inference server without a network: models by name and version, their queues, and their lifecycle.
package final class ModelServer: InferenceService {
  let settings: ServerSettings
  let catalog: ModelCatalog
  let open: ModelOpening
  let logger: Logger
  let scheduler: Scheduler
  package let ledger: MemoryLedger
  let registry = Mutex(ModelRegistry())
  let operations = NamedOperations()
  /// Models that must be ready for the server to be.
  let required = Mutex<Set<String>>([])
  /// The fingerprints of sources that failed to load, by name and version. Polling does not try them again.
  let failed = Mutex<[String: String]>([:])
  private let activity = Mutex(Activity())
  private let background = Mutex<[Task<Void, Never>]>([])

  /// What the server still does.
  private struct Activity {
    enum Phase { case starting, running, lameDuck, closed }
    var phase = Phase.starting
    var inFlight = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  package init(
    _ settings: ServerSettings = ServerSettings(), catalog: ModelCatalog, logger: Logger,
    open: @escaping ModelOpening
  ) {
    (self.settings, self.catalog, self.logger, self.open) = (settings, catalog, logger, open)
    scheduler = Scheduler(settings.scheduler)
    ledger = MemoryLedger(limit: settings.memoryLimit)
  }

  /// Loads the models and follows the changes that the settings ask for. Returns when each model is ready or has failed.
  package func start() async {
    let sources = catalog.sources().filter { settings.control != .explicit || $0.isNamed }
    let names = Set(sources.map(\.name))
    required.withLock { $0 = names }
    await withTaskGroup(of: Void.self) { group in
      for name in names.sorted() {
        group.addTask {
          await self.waitForFiles(name)
          _ = await self.update(name, isForced: false)
        }
      }
    }
    activity.withLock { if $0.phase == .starting { $0.phase = .running } }
    if settings.control == .poll { repeatedly(settings.pollInterval) { await $0.synchronize() } }
    repeatedly(.seconds(10)) { server in
      for served in server.registry.withLock({ $0.served }) { served.sequences?.expire(now: .now) }
    }
  }

  /// Files that were copied just before the start become complete in seconds.
  private func waitForFiles(_ name: String) async {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end, !Task.isCancelled,
      !catalog.sources().contains(where: { $0.name == name && $0.isComplete })
    { try? await Task.sleep(for: .milliseconds(250)) }
  }

  private func repeatedly(_ interval: Duration, _ body: @escaping @Sendable (ModelServer) async -> Void) {
    let task = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: interval)
        guard !Task.isCancelled, let self else { return }
        await body(self)
      }
    }
    background.withLock { $0.append(task) }
  }

  deinit { for task in background.withLock({ $0 }) { task.cancel() } }

  // MARK: health

  package var isLive: Bool { true }

  package var isReady: Bool {
    guard activity.withLock({ $0.phase == .running }) else { return false }
    let required = required.withLock { $0 }
    return registry.withLock { registry in required.allSatisfy { !registry.readyVersions($0).isEmpty } }
  }

  package func isReady(model: String, version: String?) throws(ServingError) -> Bool {
    do throws(ServingError) {
      _ = try find(model, version)
      return activity.withLock { $0.phase == .starting || $0.phase == .running }
    } catch {
      guard error.code == .unavailable else { throw error }
      return false
    }
  }

  // MARK: drain

  /// Readiness falls, so that load balancers send no new clients. Requests are still accepted.
  package func beginDraining() { activity.withLock { if $0.phase != .closed { $0.phase = .lameDuck } } }

  /// Refuses new requests and waits for the others.
  ///
  /// - Returns: whether all have ended. After the time limit, the rest is cancelled.
  package func drained(within limit: Duration) async -> Bool {
    activity.withLock { $0.phase = .closed }
    for task in background.withLock({ $0 }) { task.cancel() }
    let timer = Task { [weak self] in
      try? await Task.sleep(for: limit)
      guard !Task.isCancelled else { return false }
      self?.scheduler.stop()
      return true
    }
    await withCheckedContinuation { continuation in
      let isIdle = activity.withLock { activity in
        if activity.inFlight > 0 { activity.waiters.append(continuation) }
        return activity.inFlight == 0
      }
      if isIdle { continuation.resume() }
    }
    timer.cancel()
    let isStopped = await timer.value
    scheduler.stop()
    return !isStopped
  }

  /// The requests that have been accepted and not answered.
  package var inFlight: Int { activity.withLock { $0.inFlight } }

  func enter() throws(ServingError) {
    let isOpen = activity.withLock { activity in
      guard activity.phase != .closed else { return false }
      activity.inFlight += 1
      return true
    }
    guard isOpen else { throw Self.draining }
  }

  func leave() {
    let waiters = activity.withLock { activity -> [CheckedContinuation<Void, Never>] in
      activity.inFlight -= 1
      guard activity.inFlight == 0 else { return [] }
      defer { activity.waiters = [] }
      return activity.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  var isClosed: Bool { activity.withLock { $0.phase == .closed } }

  static var draining: ServingError { ServingError(.unavailable, "The server is shutting down.") }
}
