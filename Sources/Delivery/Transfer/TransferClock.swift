import Foundation
import Synchronization

/// The clock for waits and rates; tests replace the system's clock.
public struct TransferClock: Sendable {
  /// The time since a fixed origin.
  public let now: @Sendable () -> Duration
  /// Waits; throws `CancellationError` if the task is cancelled.
  public let sleep: @Sendable (Duration) async throws -> Void

  /// Creates a clock from closures.
  public init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    self.now = now
    self.sleep = sleep
  }

  /// Creates a clock from a `Clock`; its time starts at 0.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    self.init(now: { origin.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0) })
  }

  /// The system's `ContinuousClock`.
  public static let continuous = TransferClock(ContinuousClock())
}

/// A position in a file, advanced by one reader at a time.
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

/// A limit on bytes per second (a token bucket), shared by all transfers that use this object.
public final class RateLimiter: Sendable {
  private let bytesPerSecond: Double
  /// The amount that may pass at once after a pause, in seconds at the full rate.
  private let burst = 0.25
  private let clock: TransferClock
  /// The time in seconds up to which the rate is used up.
  private let spent = Mutex(-Double.infinity)

  /// Creates a limit for the transfers that share this object.
  ///
  /// - Parameter bytesPerSecond: at least 1.
  public init(bytesPerSecond: Int64, clock: TransferClock = .continuous) {
    self.bytesPerSecond = Double(max(1, bytesPerSecond))
    self.clock = clock
  }

  /// Waits until `bytes` more bytes may pass.
  func take(_ bytes: Int) async throws {
    let now = clock.now() / .seconds(1)
    let until = spent.withLock { spent in
      spent = max(spent, now - burst) + Double(bytes) / bytesPerSecond
      return spent
    }
    if until > now { try await clock.sleep(.seconds(until - now)) }
  }
}
