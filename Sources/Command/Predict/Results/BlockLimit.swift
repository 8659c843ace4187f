import Foundation

/// The size of a block that is written in one piece. Fast rows need few system calls, and slow rows do not wait long.
struct BlockLimit {
  private var count = 0
  private var began = 0.0
  private let most: (count: Int, seconds: Double)

  init(count: Int, seconds: Double) { most = (count, seconds) }

  var isReached: Bool { count >= most.count || count > 0 && Self.now - began >= most.seconds }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Counts a row, or a file.
  mutating func add() {
    if count == 0 { began = Self.now }
    count += 1
  }

  mutating func clear() { count = 0 }
}
