import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// [outer, axis, inner] on both sides of every vector width and block.
  static let axes: [(Int, Int, Int)] = [
    (1, 1, 1), (3, 5, 1), (2, 16, 1), (2, 17, 1), (1, 131, 1), (1, 5000, 1), (2, 3, 2), (2, 3, 7), (1, 70, 16),
    (2, 5, 33),
    (1, 130, 67), (3, 1, 4), (0, 3, 2), (2, 3, 0),
  ]

  /// The values along the axis for each position of the output.
  static func columns<T>(_ x: [T], _ shape: (Int, Int, Int)) -> [[T]] {
    let (outer, axis, inner) = shape
    return (0..<outer).flatMap { o in
      (0..<inner).map { i in (0..<axis).map { x[(o * axis + $0) * inner + i] } }
    }
  }

  static let reductions: [(String, ck_reduce_op, @Sendable ([Double]) -> Double)] = [
    ("sum", CK_REDUCE_SUM, { $0.reduce(0, +) }), ("mean", CK_REDUCE_MEAN, { $0.reduce(0, +) / Double($0.count) }),
    ("max", CK_REDUCE_MAX, { $0.contains(where: \.isNaN) ? .nan : $0.max() ?? -.infinity }),
    ("min", CK_REDUCE_MIN, { $0.contains(where: \.isNaN) ? .nan : $0.min() ?? .infinity }),
    ("prod", CK_REDUCE_PROD, { $0.reduce(1, *) }), ("l1", CK_REDUCE_L1, { $0.reduce(0) { $0 + abs($1) } }),
    ("l2", CK_REDUCE_L2, { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() }),
    ("sum square", CK_REDUCE_SUM_SQUARE, { $0.reduce(0) { $0 + $1 * $1 } }),
    ("log sum", CK_REDUCE_LOG_SUM, { log($0.reduce(0, +)) }),
    (
      "log sum exp", CK_REDUCE_LOG_SUM_EXP,
      { values in
        let top = values.contains(where: \.isNaN) ? .nan : values.max() ?? -.infinity
        return top.isFinite ? top + log(values.reduce(0) { $0 + exp($1 - top) }) : top
      }
    ),
  ]

  @Test("reductions of float32")
  func reduceFloat() {
    var random = Random(13)
    for shape in Self.axes {
      let n = shape.0 * shape.1 * shape.2
      for (name, op, reference) in Self.reductions {
        let positive = op == CK_REDUCE_LOG_SUM || op == CK_REDUCE_PROD
        let x = random.floats(n, in: positive ? 0.97...1.03 : -3...3)
        let expected = Self.columns(x, shape).map { reference($0.map(Double.init)) }
        withEachISA { isa in
          let y = output(shape.0 * shape.2) { ck_reduce_f32(op, x, $0, shape.0, shape.1, shape.2) }
          expectClose(y, expected, relative: 1e-5, absolute: 1e-5, "\(isa) \(name) \(shape)")
        }
      }
    }
  }

  @Test("reductions of special values, and of no elements")
  func reduceSpecial() {
    for special: [Float] in [[.nan], [.infinity], [-.infinity], [.infinity, -.infinity], [.nan, .infinity]] {
      for (axis, inner) in [(3, 1), (40, 1), (3, 5), (70, 20)] {
        for place in 0..<3 {
          var x = [Float](repeating: 0.5, count: axis * inner)
          for (k, v) in special.enumerated() { x[(place + k) % 3 * inner] = v }
          for (name, op, reference) in Self.reductions {
            let expected = Self.columns(x, (1, axis, inner)).map { reference($0.map(Double.init)) }
            withEachISA { isa in
              let y = output(inner) { ck_reduce_f32(op, x, $0, 1, axis, inner) }
              expectClose(y, expected, relative: 1e-5, "\(isa) \(name) \(special) \(axis) x \(inner)")
            }
          }
        }
      }
    }
    for (name, op, reference) in Self.reductions {
      for inner in [1, 3] {
        withEachISA { isa in
          let y = output(inner) { ck_reduce_f32(op, [0], $0, 1, 0, inner) }
          expectClose(y, .init(repeating: reference([]), count: inner), "\(isa) \(name) of nothing")
        }
      }
    }
  }

  @Test("a long sum keeps its accuracy")
  func longSum() {
    let n = 1_000_000
    let x = [Float](repeating: 0.1, count: n)
    withEachISA { isa in
      for (axis, inner) in [(n, 1), (n / 4, 4)] {
        let y = output(inner) { ck_reduce_f32(CK_REDUCE_SUM, x, $0, 1, axis, inner) }
        expectClose(y, .init(repeating: Double(Float(0.1)) * Double(axis), count: inner), relative: 1.5e-6, "\(isa)")
      }
    }
  }

  @Test("reductions of int32 wrap")
  func reduceInt() {
    let ops: [(String, ck_reduce_op, ([Int32]) -> Int32)] = [
      ("sum", CK_REDUCE_SUM, { $0.reduce(0, &+) }),
      ("mean", CK_REDUCE_MEAN, { $0.isEmpty ? 0 : Int32($0.reduce(Int64(0)) { $0 + Int64($1) } / Int64($0.count)) }),
      ("max", CK_REDUCE_MAX, { $0.max() ?? .min }), ("min", CK_REDUCE_MIN, { $0.min() ?? .max }),
      ("prod", CK_REDUCE_PROD, { $0.reduce(1, &*) }),
      ("l1", CK_REDUCE_L1, { $0.reduce(0) { $0 &+ ($1 < 0 ? 0 &- $1 : $1) } }),
      ("sum square", CK_REDUCE_SUM_SQUARE, { $0.reduce(0) { $0 &+ $1 &* $1 } }),
    ]
    var random = Random(17)
    for shape in Self.axes + [(2, 0, 3)] {
      let x = random.ints(shape.0 * shape.1 * shape.2, in: .min ... .max)
      for (name, op, reference) in ops {
        withEachISA { isa in
          var y = [Int32](repeating: 7, count: shape.0 * shape.2)
          #expect(ck_reduce_i32(op, x, &y, shape.0, shape.1, shape.2))
          expectEqual(y, Self.columns(x, shape).map(reference), "\(isa) \(name) \(shape)")
        }
      }
    }
    var y: [Int32] = [0]
    #expect(!ck_reduce_i32(CK_REDUCE_L2, [1], &y, 1, 1, 1))
  }

  /// The first position of the extreme. NaN counts as the extreme.
  static func place(_ values: [Float], _ better: (Float, Float) -> Bool) -> Int32 {
    if let nan = values.firstIndex(where: \.isNaN) { return Int32(nan) }
    return Int32(values.indices.reduce(0) { better(values[$1], values[$0]) ? $1 : $0 })
  }

  @Test("positions of extremes: the first of equals, NaN first")
  func arguments() {
    var random = Random(19)
    for shape in Self.axes where shape.1 > 0 {
      let n = shape.0 * shape.1 * shape.2
      let few = random.ints(n, in: 0...3)  // many ties
      for nans in [false, true] {
        let x = few.enumerated().map { nans && $0.offset % 11 == 7 ? Float.nan : Float($0.element) }
        withEachISA { isa in
          var y = [Int32](repeating: -1, count: shape.0 * shape.2)
          ck_reduce_arg_f32(CK_ARG_MAX, x, &y, shape.0, shape.1, shape.2)
          expectEqual(y, Self.columns(x, shape).map { Self.place($0, >) }, "\(isa) max \(shape) NaN \(nans)")
          ck_reduce_arg_f32(CK_ARG_MIN, x, &y, shape.0, shape.1, shape.2)
          expectEqual(y, Self.columns(x, shape).map { Self.place($0, <) }, "\(isa) min \(shape) NaN \(nans)")
          ck_reduce_arg_i32(CK_ARG_MAX, few, &y, shape.0, shape.1, shape.2)
          expectEqual(y, Self.columns(few.map(Float.init), shape).map { Self.place($0, >) }, "\(isa) int max \(shape)")
          ck_reduce_arg_i32(CK_ARG_MIN, few, &y, shape.0, shape.1, shape.2)
          expectEqual(y, Self.columns(few.map(Float.init), shape).map { Self.place($0, <) }, "\(isa) int min \(shape)")
        }
      }
    }
  }

  static func runningSums(_ x: [Float], _ shape: (Int, Int, Int), _ exclusive: Bool, _ reverse: Bool) -> [Double] {
    let (outer, axis, inner) = shape
    var sums = [Double](repeating: 0, count: x.count)
    for o in 0..<outer {
      for i in 0..<inner {
        var sum = 0.0
        for a in 0..<axis {
          let at = (o * axis + (reverse ? axis - 1 - a : a)) * inner + i
          sums[at] = exclusive ? sum : sum + Double(x[at])
          sum += Double(x[at])
        }
      }
    }
    return sums
  }

  @Test("cumulative sums")
  func cumulativeSum() {
    var random = Random(29)
    for shape in Self.axes {
      let (outer, axis, inner) = shape
      let integers = random.ints(outer * axis * inner, in: -100_000...100_000)
      let x = integers.map { Float($0) / 64 }
      for exclusive in [false, true] {
        for reverse in [false, true] {
          let expected = Self.runningSums(x, shape, exclusive, reverse)
          withEachISA { isa in
            let y = output(x.count) { ck_cumsum_f32(x, $0, outer, axis, inner, exclusive, reverse) }
            expectClose(y, expected, "\(isa) \(shape) \(exclusive) \(reverse)")
            var z = integers
            z.withUnsafeMutableBufferPointer {
              if let p = $0.baseAddress { ck_cumsum_i32(p, p, outer, axis, inner, exclusive, reverse) }
            }
            expectEqual(z, expected.map { Int32($0 * 64) }, "\(isa) int, in place, \(shape) \(exclusive) \(reverse)")
          }
        }
      }
    }
  }

  @Test("cumulative sums: a NaN or an infinity only affects later elements")
  func cumulativeSumSpecial() {
    let specials: [[Float]] = [
      [.nan], [.infinity], [.infinity, .infinity], [.infinity, -.infinity], [.nan, -.infinity],
    ]
    for special in specials {
      for (axis, inner) in [(3, 1), (16, 1), (77, 1), (5, 3), (9, 70)] {
        for first in [0, 1, axis / 2, axis - 2] {
          var x = [Float](repeating: 0.5, count: axis * inner)
          for (k, value) in special.enumerated() { x[(first + k) * inner + inner / 2] = value }
          for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            let expected = Self.runningSums(x, (1, axis, inner), exclusive, reverse)
            withEachISA { isa in
              let y = output(x.count) { ck_cumsum_f32(x, $0, 1, axis, inner, exclusive, reverse) }
              expectClose(y, expected, "\(isa) \(special) from \(first), \(axis) x \(inner), \(exclusive) \(reverse)")
            }
          }
        }
      }
    }
  }
}
