import Synchronization

/// Lets whoever started work on another thread stop it: the work asks, between operations and in long loops.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Asked too, for work that is told to stop in a way of its own.
  private let condition: (@Sendable () -> Bool)?

  public init() { condition = nil }

  /// Work is to stop once `condition` holds.
  public init(when condition: @escaping @Sendable () -> Bool) { self.condition = condition }

  public func cancel() { flag.store(true, ordering: .relaxed) }

  public var isCancelled: Bool { flag.load(ordering: .relaxed) || condition?() ?? false }

  /// The cancellation of the work on the current thread.
  @TaskLocal public static var current: Cancellation?

  /// Runs `body` so that it sees this cancellation.
  public func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self) { try body() }
  }

  /// Throws once the work on the current thread is to stop: a `MILError` of code `.cancelled`.
  public static func check() throws {
    if let current, current.isCancelled { throw stopped }
  }

  static var stopped: MILError { MILError(.cancelled, "the work was stopped") }
}

/// Asks for cancellation in a loop so seldom that the asking costs nothing. Looked up once, where the loop begins.
public struct CancellationPoint {
  private let cancellation = Cancellation.current
  private var rounds = 0

  public init() {}

  /// To be called every round; `weight` is what the round costs, in elements.
  public mutating func pass(_ weight: Int = 1) throws {
    rounds &+= weight
    guard rounds >= Self.interval else { return }
    rounds = 0
    if let cancellation, cancellation.isCancelled { throw Cancellation.stopped }
  }

  private static let interval = 1 << 14
}
