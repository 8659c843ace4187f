import Synchronization

/// Lets one thread stop work on another. The work polls between operations and in long loops. Threads that wait are
/// woken.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  /// An additional condition, for callers with their own way to stop work.
  private let condition: (@Sendable () -> Bool)?
  private let end: ContinuousClock.Instant?
  /// The enclosing work's cancellation, which also stops this work.
  private let outer: Cancellation?
  private let listeners = Mutex<(next: Int, all: [Int: @Sendable () -> Void])>((0, [:]))

  package init() { (condition, end, outer) = (nil, nil, nil) }

  /// A cancellation that stops work once `condition` holds.
  package init(when condition: @escaping @Sendable () -> Bool) {
    (self.condition, end, outer) = (condition, nil, nil)
  }

  /// A cancellation that stops work after this many seconds, or when `outer` does.
  package init(after seconds: Double, within outer: Cancellation? = .current) {
    condition = nil
    end = ContinuousClock.now + .seconds(min(seconds, 1e9))
    self.outer = outer
  }

  package func cancel() {
    flag.store(true, ordering: .sequentiallyConsistent)
    for listener in listeners.withLock({ Array($0.all.values) }) { listener() }
  }

  package var isCancelled: Bool {
    flag.load(ordering: .relaxed) || isOverdue || outer?.isCancelled ?? false || condition?() ?? false
  }

  /// Whether the time limit has passed.
  package var isOverdue: Bool { end.map { ContinuousClock.now >= $0 } ?? false }

  /// The cancellation of the current thread's work.
  @TaskLocal package static var current: Cancellation?

  /// Runs `body` with this cancellation as the current one.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self) { try body() }
  }

  /// Throws a `LimitError` of code `.cancelled` if the current thread's work must stop.
  package static func check() throws {
    if let current, current.isCancelled { throw stopped }
  }

  package static var stopped: LimitError { LimitError(.cancelled, "the work was stopped") }

  // MARK: waiting

  /// Runs `body`, which waits. If the work is cancelled during the wait, `wake` is called on the thread that cancels.
  package func telling<Result>(_ wake: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
    let token = listen(wake)
    defer { listeners.withLock { $0.all[token] = nil } }
    return try outer.map { try $0.telling(wake, body) } ?? body()
  }

  /// Runs `body`, a task that waits. `wake` is called as by `telling`.
  package func tellingTask<Result>(
    isolation: isolated (any Actor)? = #isolation, _ wake: @escaping @Sendable () -> Void,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let token = listen(wake)
    defer { listeners.withLock { $0.all[token] = nil } }
    if let outer { return try await outer.tellingTask(wake, body) }
    return try await body()
  }

  private func listen(_ wake: @escaping @Sendable () -> Void) -> Int {
    listeners.withLock { listeners in
      listeners.next += 1
      listeners.all[listeners.next] = wake
      return listeners.next
    }
  }

  /// The time that a waiting thread may sleep before it must poll again; nil if `wake` is sufficient.
  package var patience: Duration? {
    if condition != nil { return Self.pause }
    return [end.map { max($0 - ContinuousClock.now, .zero) }, outer?.patience].compactMap { $0 }.min()
  }

  /// The polling interval of conditions that cannot wake a thread.
  package static let pause = Duration.milliseconds(10)
}

/// Checks for cancellation in a loop, rarely enough to have no measurable cost. Create it before the loop, so that the
/// current cancellation is looked up once.
package struct CancellationPoint {
  @usableFromInline let cancellation = Cancellation.current
  @usableFromInline var rounds = 0

  package init() {}

  /// Must be called in each iteration. `weight` is the cost of the iteration in elements.
  @inlinable package mutating func pass(_ weight: Int = 1) throws {
    rounds &+= weight
    guard rounds >= Self.interval else { return }
    rounds = 0
    if let cancellation, cancellation.isCancelled { throw Cancellation.stopped }
  }

  @usableFromInline static var interval: Int { 1 << 14 }
}
