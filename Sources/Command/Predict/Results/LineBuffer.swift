/// A buffer of lines that are written in one piece.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []
  private let mostBytes: Int
  private var limit: BlockLimit

  init(rows: Int, bytes: Int, seconds: Double) {
    (mostBytes, limit) = (bytes, BlockLimit(count: rows, seconds: seconds))
  }

  var isFull: Bool { bytes.count >= mostBytes || limit.isReached }

  /// Adds a row's line.
  mutating func add(_ line: (inout [UInt8]) -> Void) {
    line(&bytes)
    bytes.append(0x0A)
    addNothing()
  }

  /// Counts a row that has no line.
  mutating func addNothing() { limit.add() }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    limit.clear()
  }
}
