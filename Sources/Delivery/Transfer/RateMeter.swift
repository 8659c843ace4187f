import Foundation

/// Whether a host brings bytes as fast as it must, over some time. Only the time counts in which they are waited for: a reader may be slow.
struct RateMeter {
  let minimum: Int64
  let window: Duration
  private var bytes: Int64 = 0
  private var waited: Duration = .zero

  init(minimum: Int64, window: Duration) { (self.minimum, self.window) = (minimum, window) }

  /// Takes note of a piece; the rate, in bytes a second, where it was too low over the window.
  mutating func add(_ count: Int, after wait: Duration) -> Double? {
    guard minimum > 0, window > .zero else { return nil }
    bytes += Int64(count)
    waited += wait
    guard waited >= window else { return nil }
    let rate = Double(bytes) / (waited / .seconds(1))
    (bytes, waited) = (0, .zero)
    return rate < Double(minimum) ? rate : nil
  }
}
