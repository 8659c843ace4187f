import CoreMLBase
import CoreMLRuntime
import Foundation

/// How often, and after what pauses, a transfer tries again.
public struct RetryPolicy: Sendable {
  /// How often one mirror may fail in a row, without bringing anything new, before it is given up.
  public var attempts: Int
  /// The pause after the first failure; it doubles with each further one.
  public var firstPause: Duration
  /// The longest pause. A host that asks to be left alone for longer is given up.
  public var longestPause: Duration
  /// How often the bytes may be dropped because the file changed or parts cannot be had.
  public var restarts: Int
  /// Bytes a second that a host must bring over ``rateWindow``, so that it is not left for another; 0 for any. Only the time counts in which
  /// bytes are waited for. By default what `RuntimeLimits` in force say.
  public var minimumRate: Int64
  /// How long a host may be slower than that.
  public var rateWindow: Duration = .seconds(60)
  /// The longest that one file may take, all attempts and pauses together; nil for no limit. What came is kept.
  public var timeout: Duration?
  /// The same of a document that is kept in memory, such as a manifest: a host that does not give it in this time is left for another.
  public var documentTimeout: Duration? = .seconds(60)
  /// A random number from 0 up to 1. Pauses are spread over their upper half with it, so that clients of a host that failed do not come
  /// back all at once.
  public var random: @Sendable () -> Double

  /// A policy with the usual numbers, but for those that are given.
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

  /// The pause after the failure of a number, from 1.
  func pause(afterFailure number: Int) -> Duration {
    let whole = min(firstPause * (1 << min(max(0, number - 1), 20)), longestPause)
    return whole * (0.5 + 0.5 * random())
  }
}

/// Which mirror is asked next, and when.
struct MirrorSchedule {
  private struct Mirror {
    let url: URL
    var failures = 0
    var notBefore: Duration = .zero
    /// Why it is not asked any more.
    var end: DeliveryError?
  }

  private var mirrors: [Mirror]
  private let policy: RetryPolicy
  private var last: DeliveryError?

  init(_ urls: [URL], policy: RetryPolicy) {
    mirrors = urls.map { Mirror(url: $0) }
    self.policy = policy
  }

  /// The mirror that may be asked soonest, the first of those that may be asked now; and when. A preferred one goes before all others.
  ///
  /// - Throws: why the last one was given up, once all are.
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

  /// Whether there is another mirror that may be asked.
  func hasOther(than index: Int) -> Bool { mirrors.indices.contains { $0 != index && mirrors[$0].end == nil } }

  /// A mirror brought something new.
  mutating func succeeded(_ index: Int) { mirrors[index].failures = 0 }

  /// A mirror failed in a way that may pass; returns the pause, or nil when it is given up.
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

  /// A mirror failed in a way that does not pass.
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
