import Foundation

/// Lines that are written together: few calls of the system where rows are quick, and none that waits for long where they are slow.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []
  private(set) var rows = 0
  private var began = 0.0
  private let limits: (rows: Int, bytes: Int, seconds: Double)

  init(rows: Int, bytes: Int, seconds: Double) { limits = (rows, bytes, seconds) }

  var isFull: Bool {
    rows >= limits.rows || bytes.count >= limits.bytes || rows > 0 && now - began >= limits.seconds
  }

  private var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Adds a row's line, whole or not at all.
  mutating func add(_ line: (inout [UInt8]) throws -> Void) throws {
    let before = bytes.count
    do {
      try line(&bytes)
    } catch {
      bytes.removeSubrange(before...)
      throw error
    }
    bytes.append(0x0A)
    addNothing()
  }

  /// Counts a row that has no line.
  mutating func addNothing() {
    if rows == 0 { began = now }
    rows += 1
  }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    rows = 0
  }
}
