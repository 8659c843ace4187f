import Synchronization

/// Lets whoever started work on another thread stop it: the work asks, between operations and in long loops; what waits is told.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Asked too, for work that is told to stop in a way of its own.
  private let condition: (@Sendable () -> Bool)?
  private let end: ContinuousClock.Instant?
  /// What stops the work around it stops this work.
  private let outer: Cancellation?
  private let listeners = Mutex<(next: Int, all: [Int: @Sendable () -> Void])>((0, [:]))

  package init() { (condition, end, outer) = (nil, nil, nil) }

  /// Work is to stop once `condition` holds.
  package init(when condition: @escaping @Sendable () -> Bool) {
    (self.condition, end, outer) = (condition, nil, nil)
  }

  /// Work is to stop in so many seconds, or when `outer` stops.
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

  /// Its time is over.
  package var isOverdue: Bool { end.map { ContinuousClock.now >= $0 } ?? false }

  /// The cancellation of the work on the current thread.
  @TaskLocal package static var current: Cancellation?

  /// Runs `body` so that it sees this cancellation.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self) { try body() }
  }

  /// Throws once the work on the current thread is to stop: a `LimitError` of code `.cancelled`.
  package static func check() throws {
    if let current, current.isCancelled { throw stopped }
  }

  package static var stopped: LimitError { LimitError(.cancelled, "the work was stopped") }

  // MARK: waiting

  /// Runs `body`, which waits: `wake` is called when the work is told to stop meanwhile, on the thread that tells.
  package func telling<Result>(_ wake: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
    let token = listeners.withLock { listeners in
      listeners.next += 1
      listeners.all[listeners.next] = wake
      return listeners.next
    }
    defer { listeners.withLock { $0.all[token] = nil } }
    return try outer.map { try $0.telling(wake, body) } ?? body()
  }

  /// How long one who waits may sleep before it asks again; nil for as long as it is not told.
  package var patience: Duration? {
    if condition != nil { return Self.pause }
    return [end.map { max($0 - ContinuousClock.now, .zero) }, outer?.patience].compactMap { $0 }.min()
  }

  /// Between two questions to what can only be asked.
  package static let pause = Duration.milliseconds(10)
}

/// Asks for cancellation in a loop so seldom that the asking costs nothing. Looked up once, where the loop begins.
package struct CancellationPoint {
  private let cancellation = Cancellation.current
  private var rounds = 0

  package init() {}

  /// To be called every round; `weight` is what the round costs, in elements.
  package mutating func pass(_ weight: Int = 1) throws {
    rounds &+= weight
    guard rounds >= Self.interval else { return }
    rounds = 0
    if let cancellation, cancellation.isCancelled { throw Cancellation.stopped }
  }

  private static let interval = 1 << 14
}
