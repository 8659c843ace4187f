import Foundation
import Synchronization

/// The time that waits and rates are reckoned in; another one than the system's in tests.
public struct TransferClock: Sendable {
  /// Time since some fixed moment.
  public let now: @Sendable () -> Duration
  /// Waits; throws `CancellationError` when the task is cancelled.
  public let sleep: @Sendable (Duration) async throws -> Void

  /// A clock that tells the time and waits in ways of its own.
  public init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    self.now = now
    self.sleep = sleep
  }

  /// A clock of the standard library's kind; its time counts from now.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    self.init(now: { origin.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0) })
  }

  /// The system's `ContinuousClock`.
  public static let continuous = TransferClock(ContinuousClock())
}

/// The bytes' place in a file, moved on by one reader at a time.
final class Position: Sendable {
  private let offset: Mutex<Int64>

  init(_ offset: Int64) { self.offset = Mutex(offset) }

  func advance(_ read: (Int64) throws -> [UInt8]?) rethrows -> [UInt8]? {
    let start = offset.withLock { $0 }
    let bytes = try read(start)
    offset.withLock { $0 += Int64(bytes?.count ?? 0) }
    return bytes
  }
}

/// A cap on bytes per second (a token bucket), shared by all transfers that are given it.
public final class RateLimiter: Sendable {
  private let bytesPerSecond: Double
  /// How much may pass at once after a pause, in seconds of the rate.
  private let burst = 0.25
  private let clock: TransferClock
  /// The moment, in seconds, up to which the rate is spent.
  private let spent = Mutex(-Double.infinity)

  /// A cap for the transfers that share this value.
  ///
  /// - Parameter bytesPerSecond: more than 0.
  public init(bytesPerSecond: Int64, clock: TransferClock = .continuous) {
    self.bytesPerSecond = Double(max(1, bytesPerSecond))
    self.clock = clock
  }

  /// Waits until `bytes` more may pass.
  func take(_ bytes: Int) async throws {
    let now = clock.now() / .seconds(1)
    let until = spent.withLock { spent in
      spent = max(spent, now - burst) + Double(bytes) / bytesPerSecond
      return spent
    }
    if until > now { try await clock.sleep(.seconds(until - now)) }
  }
}
