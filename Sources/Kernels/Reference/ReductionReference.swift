import CoreMLBase
import Foundation
import MIL

enum ReductionReference {
  static let all: [Reference] = [
    reduce("reduce_sum") { $0.reduce(0, +) },
    reduce("reduce_mean") { $0.reduce(0, +) / Double($0.count) },
    reduce("reduce_prod") { $0.reduce(1, *) },
    reduce("reduce_max") { $0.contains(where: \.isNaN) ? .nan : $0.max() ?? -.infinity },
    reduce("reduce_min") { $0.contains(where: \.isNaN) ? .nan : $0.min() ?? .infinity },
    reduce("reduce_l1_norm") { $0.reduce(0) { $0 + abs($1) } },
    reduce("reduce_l2_norm") { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() },
    reduce("reduce_sum_square") { $0.reduce(0) { $0 + $1 * $1 } },
    reduce("reduce_log_sum") { log($0.reduce(0, +)) },
    reduce("reduce_log_sum_exp") { values in
      guard let top = values.max(), top.isFinite else { return values.max() ?? -.infinity }
      return top + log(values.reduce(0) { $0 + exp($1 - top) })
    },
    // Of equal values the first wins. NaN counts both as the greatest and as the least.
    arg("reduce_argmax") { $0 > $1 },
    arg("reduce_argmin") { $0 < $1 },
    Reference.numeric("cumsum") { call in
      let axis = try call.invocation.axis("axis", default: 0, rank: call.sizes("x").count)
      let isExclusive = try call.invocation.bool("exclusive", default: false)
      let isReversed = try call.invocation.bool("reverse", default: false)
      return try Axis(call.sizes("x"), axis).map(call.doubles("x")) { line in
        var total = 0.0
        let sums = (isReversed ? line.reversed() : line).map { value -> Double in
          defer { total += value }
          return isExclusive ? total : total + value
        }
        return isReversed ? sums.reversed() : sums
      }
    },
    Reference.numeric("argsort") { call in
      let axis = try call.invocation.axis("axis", default: -1, rank: call.sizes("x").count)
      let isAscending = try call.invocation.bool("ascending", default: false)
      return try Axis(call.sizes("x"), axis).map(call.doubles("x")) { order($0, isAscending).map(Double.init) }
    },
    Reference("topk") { call in
      let axis = try call.invocation.axis("axis", default: -1, rank: call.sizes("x").count)
      let isAscending = try call.invocation.bool("ascending", default: false)
      let count = try call.invocation.int("k", default: 1)
      let lines = Axis(try call.sizes("x"), axis)
      let x = try call.doubles("x")
      let values = try call.result(
        lines.map(x) { line in order(line, isAscending).prefix(count).map { line[$0] } })
      guard call.outputs.count > 1 else { return [values] }
      return [values, try call.result(lines.map(x) { order($0, isAscending).prefix(count).map(Double.init) }, 1)]
    },
  ]

  /// Positions in the order of their values. The sort is stable. NaN is greater than every other value, as in NumPy and
  /// torch.
  private static func order(_ line: [Double], _ isAscending: Bool) -> [Int] {
    func isBelow(_ a: Double, _ b: Double) -> Bool { a < b || (b.isNaN && !a.isNaN) }
    return line.indices.sorted { first, second in
      let (a, b) = isAscending ? (line[first], line[second]) : (line[second], line[first])
      return isBelow(a, b) || (first < second && !isBelow(b, a))
    }
  }

  private static func reduce(_ name: String, _ function: @escaping @Sendable ([Double]) -> Double) -> Reference {
    Reference.numeric(name) { call in
      let shape = try call.sizes("x")
      let axes = try call.invocation.axes("axes", default: Array(shape.indices), rank: shape.count)
      let kept = shape.enumerated().map { axes.contains($0.offset) ? 1 : $0.element }
      let place = Broadcast(from: kept, to: shape)
      let x = try call.doubles("x")
      let count = kept.reduce(1, *)
      // 64 bytes cover the overhead of an array besides its elements.
      try MemoryBudget.current.admit(max(count, x.count), of: 64, for: "the groups of '\(name)'")
      var groups = [[Double]](repeating: [], count: count)
      var point = CancellationPoint()
      for (number, index) in Indices(shape).enumerated() {
        try point.pass()
        groups[place.offset(index)].append(x[number])
      }
      return groups.map(function)
    }
  }

  private static func arg(_ name: String, _ isBetter: @escaping @Sendable (Double, Double) -> Bool) -> Reference {
    Reference.numeric(name) { call in
      let axis = try call.invocation.axis("axis", default: -1, rank: call.sizes("x").count)
      return try Axis(call.sizes("x"), axis).map(call.doubles("x")) { line in
        var best = 0
        for (position, value) in line.enumerated()
        where !line[best].isNaN && (value.isNaN || isBetter(value, line[best])) {
          best = position
        }
        return [Double(best)]
      }
    }
  }
}
