import CoreMLBase
import CoreMLRuntime
import Foundation

/// The number of attempts of a transfer and the pauses between them.
public struct RetryPolicy: Sendable {
  /// The number of consecutive failures without progress after which a mirror is given up.
  public var attempts: Int
  /// The pause after the first failure; it doubles with each further failure.
  public var firstPause: Duration
  /// The maximum pause. A mirror that requests a longer one with `Retry-After` is given up.
  public var longestPause: Duration
  /// The maximum number of restarts because the file changed or parts are unavailable.
  public var restarts: Int
  /// The minimum rate in bytes per second over ``rateWindow``; 0 for none. A slower host is replaced by another mirror.
  /// Only the time spent waiting for bytes counts. The default comes from `RuntimeLimits`.
  public var minimumRate: Int64
  /// The period over which the rate is measured.
  public var rateWindow: Duration = .seconds(60)
  /// The maximum total time for one file, including all attempts and pauses; nil for no limit. Received bytes are kept.
  public var timeout: Duration?
  /// The maximum total time for a document kept in memory, such as a manifest; nil for no limit.
  public var documentTimeout: Duration? = .seconds(60)
  /// Returns a random number from 0 up to 1. It varies the pauses between half and full length, so that clients of a
  /// failed host do not return simultaneously.
  public var random: @Sendable () -> Double

  /// Creates a policy with defaults for all values that are not given.
  public init(
    attempts: Int = 5, firstPause: Duration = .milliseconds(500), longestPause: Duration = .seconds(60),
    restarts: Int = 5,
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.attempts = attempts
    self.firstPause = firstPause
    self.longestPause = longestPause
    self.restarts = restarts
    self.random = random
    minimumRate = Int64(((try? RuntimeLimits.inForce()) ?? RuntimeLimits()).transferRate ?? 0)
  }

  /// Returns the pause after the failure with a number, counted from 1.
  func pause(afterFailure number: Int) -> Duration {
    let whole = min(firstPause * (1 << min(max(0, number - 1), 20)), longestPause)
    return whole * (0.5 + 0.5 * random())
  }
}

/// Selects the next mirror and the time of its request.
struct MirrorSchedule {
  private struct Mirror {
    let url: URL
    var failures = 0
    var notBefore: Duration = .zero
    /// Why the mirror was given up; nil if it is still in use.
    var end: DeliveryError?
  }

  private var mirrors: [Mirror]
  private let policy: RetryPolicy
  private var last: DeliveryError?

  init(_ urls: [URL], policy: RetryPolicy) {
    mirrors = urls.map { Mirror(url: $0) }
    self.policy = policy
  }

  /// Returns the mirror that is available first, with that time; the list order decides ties. A preferred mirror takes
  /// precedence.
  ///
  /// - Throws: the errors of the mirrors, once all of them are given up.
  func next(now: Duration, preferring url: URL?) throws -> (index: Int, url: URL, at: Duration) {
    let open = mirrors.indices.filter { mirrors[$0].end == nil }
    if let url, let index = open.first(where: { mirrors[$0].url == url }) {
      return (index, url, max(mirrors[index].notBefore, now))
    }
    guard let best = open.min(by: { max(mirrors[$0].notBefore, now) < max(mirrors[$1].notBefore, now) }) else {
      throw failure
    }
    return (best, mirrors[best].url, max(mirrors[best].notBefore, now))
  }

  /// Returns whether another mirror is still in use.
  func hasOther(than index: Int) -> Bool { mirrors.indices.contains { $0 != index && mirrors[$0].end == nil } }

  /// Records that a mirror made progress.
  mutating func succeeded(_ index: Int) { mirrors[index].failures = 0 }

  /// Records a temporary failure. Returns the pause, or nil if the mirror is given up.
  mutating func failed(_ index: Int, _ error: DeliveryError, retryAfter: Duration?, now: Duration) -> Duration? {
    mirrors[index].failures += 1
    if mirrors[index].failures >= policy.attempts || (retryAfter ?? .zero) > policy.longestPause {
      giveUp(index, error)
      return nil
    }
    let pause = max(policy.pause(afterFailure: mirrors[index].failures), retryAfter ?? .zero)
    mirrors[index].notBefore = now + pause
    return pause
  }

  /// Records a permanent failure of a mirror.
  mutating func giveUp(_ index: Int, _ error: DeliveryError) {
    mirrors[index].end = error
    last = error
  }

  private var failure: DeliveryError {
    let ends = mirrors.compactMap(\.end)
    guard let last else { return DeliveryError(.unsupportedURL, "expected a URL to fetch from, found none") }
    if ends.count == 1 { return last }
    return DeliveryError(last.code, "all mirrors failed: " + ends.map(\.message).joined(separator: "; "))
  }
}
