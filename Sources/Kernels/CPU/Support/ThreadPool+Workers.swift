import CKernels

extension ThreadPool {
  /// Like `run`, and tells `body` which of `workers` scratch areas is its own: one thread at a time has an area. A pool of more
  /// threads than areas runs on the caller.
  func run(_ count: Int, grain: Int = 1, workers: Int, _ body: (Range<Int>, Int) -> Void) {
    guard count > 0 else { return }
    guard let handle, count > grain, threads <= workers else {
      body(0..<count, 0)
      return
    }
    runClosure(handle, count, max(grain, 1), body)
  }
}

/// A range cut into equal pieces of at most `size`.
struct Chunks: Sendable {
  let total: Int
  let size: Int
  let count: Int

  init(_ total: Int, of size: Int) {
    self.total = total
    self.size = max(size, 1)
    count = (total + max(size, 1) - 1) / max(size, 1)
  }

  /// About `wanted` pieces, each a multiple of `multiple` but the last.
  init(_ total: Int, about wanted: Int, multiple: Int = 1) {
    let share = (total + max(wanted, 1) - 1) / max(wanted, 1)
    self.init(total, of: (share + multiple - 1) / multiple * multiple)
  }

  @inline(__always)
  subscript(_ index: Int) -> Range<Int> { index * size..<min((index + 1) * size, total) }
}

/// A range cut into `count` pieces, whole units of `unit` but the last, of which none is longer than another by more than a unit.
struct EvenChunks: Sendable {
  let total: Int
  let unit: Int
  let count: Int

  init(_ total: Int, count: Int, unit: Int) {
    (self.total, self.unit) = (total, unit)
    self.count = max(min(count, (total + unit - 1) / unit), 1)
  }

  private var units: Int { (total + unit - 1) / unit }

  /// Of the longest piece.
  var size: Int { min((units + count - 1) / count * unit, total) }

  @inline(__always)
  subscript(_ index: Int) -> Range<Int> {
    units * index / count * unit..<min(units * (index + 1) / count * unit, total)
  }
}
