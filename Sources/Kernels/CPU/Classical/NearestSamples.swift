import CKernels
import MIL

/// The samples nearest to a row. Threads compute all distances, then one pass keeps the least distances in a heap.
struct NearestSamples: Sendable {
  private let x: Int
  private let samples: Int
  private let count: Int
  private let depth: Int
  private let nearest: Int

  /// Sample elements that a thread processes at a time.
  private static let grain = 1 << 15

  init(_ problem: KernelProblem) throws {
    try problem.requireScalar(.float64, of: ["x"])
    try problem.requireScalar(.float32, of: ["samples"])
    (x, samples) = (try problem.slot("x"), try problem.slot("samples"))
    let sizes = try problem.sizes("samples")
    (count, depth, nearest) = (sizes[0], sizes[1], try problem.outputSizes()[0])
    guard count <= Int(Int32.max), nearest <= count else { throw Refusal("\(count) samples are too many") }
  }

  var candidate: Candidate {
    Candidate(efficiency: 0.2, scratchBytes: 8 * count) {
      .cpu { frame in
        let distances = frame.scratch.assumingMemoryBound(to: Double.self)
        frame.pool.run(count, grain: max(Self.grain / max(depth, 1), 1)) { rows in
          ck_sample_distances_f64(
            frame.input(x), frame.input(samples) + rows.lowerBound * depth, distances + rows.lowerBound, rows.count,
            depth)
        }
        let rows: UnsafeMutablePointer<Int32> = frame.output(0)
        Heap(rows: rows, count: nearest, distances: distances).select(from: count)
        let least: UnsafeMutablePointer<Double> = frame.output(1)
        for index in 0..<nearest { least[index] = distances[Int(rows[index])] }
      }
    }
  }
}

/// A heap of rows with the farthest first. Of equally far rows the later counts as farther. NaN counts as infinity.
private struct Heap {
  let rows: UnsafeMutablePointer<Int32>
  let count: Int
  let distances: UnsafePointer<Double>

  /// Keeps the nearest of `all` rows, sorted with the nearest first.
  func select(from all: Int) {
    guard count > 0 else { return }
    for row in 0..<count { rows[row] = Int32(row) }
    // A loop over a reversed range would allocate in debug builds.
    var root = count / 2 - 1
    while root >= 0 {
      sink(root, within: count)
      root -= 1
    }
    var farthest = distance(rows[0])
    // A later row at the same distance counts as farther, so it does not replace the root.
    for row in count..<all where distances[row] < farthest {
      rows[0] = Int32(row)
      sink(0, within: count)
      farthest = distance(rows[0])
    }
    var end = count - 1
    while end >= 1 {
      swap(0, end)
      sink(0, within: end)
      end -= 1
    }
  }

  private func distance(_ row: Int32) -> Double {
    let distance = distances[Int(row)]
    return distance.isNaN ? .infinity : distance
  }

  private func isFarther(_ a: Int32, _ b: Int32) -> Bool {
    let (first, second) = (distance(a), distance(b))
    return first > second || (first == second && a > b)
  }

  private func swap(_ a: Int, _ b: Int) { (rows[a], rows[b]) = (rows[b], rows[a]) }

  private func sink(_ root: Int, within end: Int) {
    var root = root
    while 2 * root + 1 < end {
      var child = 2 * root + 1
      if child + 1 < end, isFarther(rows[child + 1], rows[child]) { child += 1 }
      guard isFarther(rows[child], rows[root]) else { return }
      swap(root, child)
      root = child
    }
  }
}
