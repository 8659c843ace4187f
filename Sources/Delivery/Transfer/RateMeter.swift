import Foundation

/// Detects a host that is slower than a minimum rate. Only the time spent waiting for bytes counts, so readers may be
/// slow.
struct RateMeter {
  let minimum: Int64
  let window: Duration
  private var bytes: Int64 = 0
  private var waited: Duration = .zero

  init(minimum: Int64, window: Duration) { (self.minimum, self.window) = (minimum, window) }

  /// Records a chunk. Returns the rate in bytes per second if it was too low over the window, otherwise nil.
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
