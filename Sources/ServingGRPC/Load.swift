import Synchronization

/// What a draining server waits for: requests that run, and whether it is draining.
final class Load: Sendable {
  private let running = Atomic(0)
  private let draining = Atomic(false)

  func begin() { running.add(1, ordering: .relaxed) }
  func end() { running.subtract(1, ordering: .releasing) }
  var isIdle: Bool { running.load(ordering: .acquiring) == 0 }

  func drain() { draining.store(true, ordering: .releasing) }
  var isDraining: Bool { draining.load(ordering: .acquiring) }
}
