import CoreMLBase
import MIL

/// A tensor seen as [outer, axis, inner], for operations that process lines along one axis.
struct Axis {
  let outer: Int
  let count: Int
  let inner: Int

  init(_ shape: [Int], _ axis: Int) {
    outer = shape[..<axis].reduce(1, *)
    count = shape[axis]
    inner = shape[(axis + 1)...].reduce(1, *)
  }

  /// Applies `function` to every line. It must return lines of equal length, which become the axis of the result.
  func map(_ values: [Double], _ function: ([Double]) throws -> [Double]) throws -> [Double] {
    // 48 bytes cover the overhead of an array besides its elements.
    let (lineCount, overflow) = outer.multipliedReportingOverflow(by: inner)
    try MemoryBudget.current.admit(overflow ? .max : lineCount, of: 48, for: "lines of \(count) numbers")
    var point = CancellationPoint()
    var lines: [[Double]] = []
    lines.reserveCapacity(lineCount)
    for first in 0..<outer {
      for last in 0..<inner {
        try point.pass(max(count, 1))
        lines.append(try function((0..<count).map { values[(first * count + $0) * inner + last] }))
      }
    }
    let length = lines.first?.count ?? 0
    try MemoryBudget.current.admit(lineCount, of: 8 * length, for: "lines of \(length) numbers")
    var result = [Double](repeating: 0, count: outer * length * inner)
    for (number, line) in lines.enumerated() {
      for (position, value) in line.enumerated() {
        result[(number / max(inner, 1) * length + position) * inner + number % max(inner, 1)] = value
      }
    }
    return result
  }
}
