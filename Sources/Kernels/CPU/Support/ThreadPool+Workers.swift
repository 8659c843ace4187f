import CKernels

extension ThreadPool {
  /// Like `run`, and passes `body` the index of one of `workers` scratch areas, which only one thread uses at a time.
  /// If the pool has more threads than areas, everything runs on the caller's thread.
  func run(_ count: Int, grain: Int = 1, workers: Int, _ body: (Range<Int>, Int) -> Void) {
    guard count > 0 else { return }
    guard let handle, count > grain, threads <= workers else {
      body(0..<count, 0)
      return
    }
    runClosure(handle, count, max(grain, 1), body)
  }
}

/// A range cut into equal chunks of at most `size`.
struct Chunks: Sendable {
  let total: Int
  let size: Int
  let count: Int

  init(_ total: Int, of size: Int) {
    self.total = total
    self.size = max(size, 1)
    count = (total + max(size, 1) - 1) / max(size, 1)
  }

  /// About `wanted` chunks. All but the last are multiples of `multiple`.
  init(_ total: Int, about wanted: Int, multiple: Int = 1) {
    let share = (total + max(wanted, 1) - 1) / max(wanted, 1)
    self.init(total, of: (share + multiple - 1) / multiple * multiple)
  }

  @inline(__always)
  subscript(_ index: Int) -> Range<Int> { index * size..<min((index + 1) * size, total) }
}

/// A range cut into `count` chunks that are multiples of `unit`, except for the last. Their sizes differ by at most one
/// unit.
struct EvenChunks: Sendable {
  let total: Int
  let unit: Int
  let count: Int

  init(_ total: Int, count: Int, unit: Int) {
    (self.total, self.unit) = (total, unit)
    self.count = max(min(count, (total + unit - 1) / unit), 1)
  }

  private var units: Int { (total + unit - 1) / unit }

  /// Size of the longest chunk.
  var size: Int { min((units + count - 1) / count * unit, total) }

  @inline(__always)
  subscript(_ index: Int) -> Range<Int> {
    units * index / count * unit..<min(units * (index + 1) / count * unit, total)
  }
}
