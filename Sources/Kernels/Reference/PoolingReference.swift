import CoreMLBase
import Foundation
import MIL

enum PoolingReference {
  static let all: [Reference] = [
    pool("max_pool") { _, values, _ in values.contains { $0.isNaN } ? .nan : values.max() ?? -.infinity },
    pool("l2_pool") { _, values, _ in sqrt(values.reduce(0) { $0 + $1 * $1 }) },
    pool("avg_pool") { call, values, window in
      let excluded = try call.bool("exclude_padding_from_average", default: false)
      let count = excluded ? values.count : window
      return count == 0 ? 0 : values.reduce(0, +) / Double(count)
    },
  ]

  /// `combine` gets the elements under a window, and the number of positions of the padded input that the window
  /// covers.
  private static func pool(
    _ name: String, _ combine: @escaping @Sendable (Invocation, [Double], Int) throws -> Double
  ) -> Reference {
    Reference.numeric(name) { call in
      let g = try Pooling.geometry(call.invocation)
      let x = try call.doubles("x")
      var result: [Double] = []
      var point = CancellationPoint()
      for plane in 0..<g.batch * g.inChannels {
        for out in Indices(g.output) {
          let (z, y, w) = (g.inside(axis: 0, out[0]), g.inside(axis: 1, out[1]), g.inside(axis: 2, out[2]))
          try point.pass(z.count * y.count * w.count)
          var values: [Double] = []
          for d in z {
            for h in y {
              let line = (plane * g.input[0] + d) * g.input[1] + h
              for column in w { values.append(x[line * g.input[2] + column]) }
            }
          }
          result.append(try combine(call.invocation, values, g.coverage(out)))
        }
      }
      return result
    }
  }
}

extension WindowGeometry {
  /// The input positions along an axis that the undilated window of output `o` covers.
  func inside(axis: Int, _ o: Int) -> Range<Int> {
    let start = o * strides[axis] - padBefore[axis]
    let first = min(max(start, 0), input[axis])
    return first..<max(min(start + kernel[axis], input[axis]), first)
  }

  /// The number of positions of the padded input that the window of output `o` covers. It is less than the window's
  /// size only for a last window of `ceil_mode` that extends beyond the padding.
  func coverage(_ o: [Int]) -> Int {
    (0..<3).reduce(1) { $0 * coverage(axis: $1, o[$1]) }
  }

  func coverage(axis: Int, _ o: Int) -> Int {
    let start = o * strides[axis] - padBefore[axis]
    return max(min(start + kernel[axis], input[axis] + padAfter[axis]) - start, 0)
  }
}
