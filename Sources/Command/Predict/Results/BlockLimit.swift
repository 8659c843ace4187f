import Foundation

/// When what is written together is enough: few calls of the system where rows are quick, and none that waits for long where they are slow.
struct BlockLimit {
  private(set) var rows = 0
  private var began = 0.0
  private let most: (rows: Int, seconds: Double)

  init(rows: Int, seconds: Double) { most = (rows, seconds) }

  var isReached: Bool { rows >= most.rows || rows > 0 && Self.now - began >= most.seconds }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Counts a row.
  mutating func add() {
    if rows == 0 { began = Self.now }
    rows += 1
  }

  mutating func clear() { rows = 0 }
}
