import CKernels
import Foundation
import Testing

extension CKernelsTests {
  struct Copy: Sendable {
    var shape: [Int]
    var from: [Int]
    var to: [Int]
    /// The offset of index 0, for negative strides.
    var start = 0
  }

  static let copies: [Copy] = [
    .init(shape: [], from: [], to: []),
    .init(shape: [3, 0, 2], from: [2, 2, 1], to: [2, 2, 1]),
    .init(shape: [100], from: [1], to: [1]),
    .init(shape: [4, 33], from: [40, 1], to: [33, 1]),  // slice of rows
    .init(shape: [4, 3], from: [40, 1], to: [3, 1]),  // of short rows
    .init(shape: [5, 7], from: [1, 5], to: [7, 1]),  // transpositions
    .init(shape: [8, 8], from: [1, 8], to: [8, 1]),
    .init(shape: [70, 90], from: [1, 70], to: [90, 1]),
    .init(shape: [17, 131], from: [1, 20], to: [140, 1]),
    .init(shape: [2, 12, 5, 16], from: [960, 16, 192, 1], to: [960, 80, 16, 1]),  // split into heads
    .init(shape: [2, 3, 10, 11], from: [330, 1, 33, 3], to: [330, 110, 11, 1]),  // channels first
    .init(shape: [10, 11, 3], from: [11, 1, 110], to: [33, 3, 1]),  // channels last
    .init(shape: [6, 5], from: [0, 1], to: [5, 1]),  // broadcasts
    .init(shape: [6, 5], from: [1, 0], to: [5, 1]),
    .init(shape: [3, 2, 4], from: [4, 0, 1], to: [8, 4, 1]),
    .init(shape: [37], from: [-1], to: [1], start: 36),  // reversed
    .init(shape: [4, 6], from: [6, -1], to: [6, 1], start: 5),
    .init(shape: [4, 6], from: [-6, 1], to: [6, 1], start: 18),
    .init(shape: [9], from: [2], to: [1]),  // a stride
    .init(shape: [9], from: [3], to: [2]),
    .init(shape: [5, 6], from: [6, 1], to: [1, 5]),  // writing columns
    .init(shape: [2, 5, 6], from: [30, 6, 1], to: [100, 10, 1]),  // into a larger array
    .init(shape: [2, 2, 2, 2, 2, 2, 2, 2], from: [1, 2, 4, 8, 16, 32, 64, 128], to: [128, 64, 32, 16, 8, 4, 2, 1]),
  ]

  @Test("strided copies of each element size")
  func copyStrided() {
    func check<T: FixedWidthInteger>(_ type: T.Type, _ isa: String) {
      let source = (0..<10_000).map { T(truncatingIfNeeded: $0 &* 2_654_435_761 &+ $0 >> 3) }
      for c in Self.copies {
        let span = zip(c.shape, c.to).reduce(1) { $0 + max($1.0 - 1, 0) * $1.1 }
        let untouched: T = 77
        var target = [T](repeating: untouched, count: span + 16), expected = target
        for index in indices(c.shape) { expected[offset(index, c.to)] = source[c.start + offset(index, c.from)] }
        let done = source.withUnsafeBufferPointer { s in
          target.withUnsafeMutableBufferPointer { t in
            guard let s = s.baseAddress, let t = t.baseAddress else { return false }
            return ck_copy_strided(MemoryLayout<T>.size, c.shape.count, c.shape, s + c.start, c.from, t, c.to)
          }
        }
        #expect(done)
        expectEqual(target, expected, "\(isa) \(T.self) \(c.shape) from \(c.from) to \(c.to)")
      }
    }
    withEachISA { isa in
      check(UInt8.self, isa)
      check(UInt16.self, isa)
      check(UInt32.self, isa)
      check(UInt64.self, isa)
    }
    var y: [UInt8] = [1]
    #expect(!ck_copy_strided(3, 1, [1], [2] as [UInt8], [1], &y, [1]))
    #expect(!ck_copy_strided(1, 9, Array(repeating: 1, count: 9), [2] as [UInt8], [1], &y, [1]))
    #expect(y == [1])
  }

  @Test("padding in every mode")
  func pad() {
    let cases: [(shape: [Int], before: [Int], after: [Int])] = [
      ([], [], []), ([5], [2], [3]), ([5], [0], [0]), ([3, 4], [1, 0], [2, 0]), ([3, 4], [0, 2], [0, 3]),
      ([2, 3, 4, 5], [0, 0, 1, 2], [0, 0, 2, 1]), ([2, 3, 4], [1, 2, 3], [1, 1, 0]), ([1, 4], [0, 3], [0, 3]),
      ([2, 3, 2], [1, 0, 0], [0, 2, 0]),
    ]
    func check<T: FixedWidthInteger>(_ type: T.Type) {
      for (shape, before, after) in cases {
        let source = (0..<shape.reduce(1, *)).map { T($0 + 1) }
        let total = shape.indices.map { before[$0] + shape[$0] + after[$0] }
        for mode in [CK_PAD_CONSTANT, CK_PAD_REFLECT, CK_PAD_REPLICATE] {
          var target = [T](repeating: 0, count: total.reduce(1, *))
          let done = withUnsafePointer(to: T(99)) {
            ck_pad(mode, MemoryLayout<T>.size, shape.count, shape, before, after, $0, source, &target)
          }
          #expect(done)
          let expected = indices(total).map { index -> T in
            var from = 0
            for d in shape.indices {
              var i = index[d] - before[d]
              if i < 0 || i >= shape[d] {
                if mode == CK_PAD_CONSTANT { return 99 }
                if mode == CK_PAD_REPLICATE { i = min(max(i, 0), shape[d] - 1) }
                if mode == CK_PAD_REFLECT { i = i < 0 ? -i : 2 * (shape[d] - 1) - i }
              }
              from = from * shape[d] + i
            }
            return source[from]
          }
          expectEqual(target, expected, "\(mode) \(shape) \(before) \(after)")
        }
      }
    }
    check(UInt8.self)
    check(UInt16.self)
    check(Int32.self)
    check(Int64.self)
  }

  @Test("padding refuses what has no meaning")
  func padRefusals() {
    var y = [Float](repeating: 0, count: 20)
    let x: [Float] = [1, 2, 3]
    #expect(!ck_pad(CK_PAD_REFLECT, 4, 1, [3], [3], [0], x, x, &y))
    #expect(!ck_pad(CK_PAD_REPLICATE, 4, 1, [0], [1], [0], x, x, &y))
    #expect(!ck_pad(CK_PAD_CONSTANT, 4, 1, [3], [1], [0], nil, x, &y))
    #expect(!ck_pad(CK_PAD_CONSTANT, 4, 1, [3], [-1], [0], x, x, &y))
    #expect(!ck_pad(CK_PAD_CONSTANT, 5, 1, [3], [1], [0], x, x, &y))
    #expect(y.allSatisfy { $0 == 0 })
    #expect(ck_pad(CK_PAD_CONSTANT, 4, 1, [0], [1], [2], x, x, &y))
    #expect(Array(y.prefix(4)) == [1, 1, 1, 0])
  }

  @Test("gathers: negative indices, bounds, clamping")
  func gather() {
    let x = (0..<2 * 4 * 3).map { Float($0) }
    func run(_ list: [Int32], _ bounds: ck_bounds) -> (Int, [Float]) {
      var y = [Float](repeating: -1, count: 2 * list.count * 3)
      let r = ck_gather(bounds, 4, x, list, &y, 2, 4, 3, list.count)
      return (r, y)
    }
    func rows(_ list: [Int]) -> [Float] {
      (0..<2).flatMap { o in list.flatMap { i in (0..<3).map { x[(o * 4 + i) * 3 + $0] } } }
    }
    #expect(run([3, 0, -1, -4, 2], CK_BOUNDS_CHECK) == (-1, rows([3, 0, 3, 0, 2])))
    #expect(run([9, -9, 1], CK_BOUNDS_CLAMP) == (-1, rows([3, 0, 1])))
    #expect(run([0, 4], CK_BOUNDS_CHECK).0 == 1)
    #expect(run([-5], CK_BOUNDS_CHECK).0 == 0)
    #expect(run([.min, .max], CK_BOUNDS_CLAMP) == (-1, rows([0, 3])))
    #expect(run([3, 0], CK_BOUNDS_STRICT) == (-1, rows([3, 0])))
    #expect(run([0, -1], CK_BOUNDS_STRICT).0 == 1)
    #expect(run([4], CK_BOUNDS_STRICT).0 == 0)
    var y: [Float] = [0]
    #expect(ck_gather(CK_BOUNDS_CLAMP, 4, x, [0], &y, 1, 0, 1, 1) == 0)
    #expect(ck_gather(CK_BOUNDS_CHECK, 3, x, [0], &y, 1, 4, 1, 1) == CK_INDICES_UNSUPPORTED)
    let bytes: [UInt8] = [5, 6, 7, 8]
    var z: [UInt8] = [0, 0]
    #expect(ck_gather(CK_BOUNDS_CHECK, 1, bytes, [2, -1], &z, 1, 4, 1, 2) == -1)
    #expect(z == [7, 8])
  }

  @Test("gathers along an axis and by coordinates")
  func gatherAlong() {
    let x = (0..<2 * 4 * 3).map { Float($0) }
    let list: [Int32] = [0, 3, -1, 1, 2, -4, 2, 2, 2, 0, 1, -2]  // [2, 2, 3]
    var y = [Float](repeating: -1, count: 12)
    #expect(ck_gather_along_axis(CK_BOUNDS_CHECK, 4, x, list, &y, 2, 4, 3, 2) == -1)
    let expected = (0..<12).map { at -> Float in
      let i = Int(list[at]) < 0 ? Int(list[at]) + 4 : Int(list[at])
      return x[(at / 6 * 4 + i) * 3 + at % 3]
    }
    #expect(y == expected)
    #expect(ck_gather_along_axis(CK_BOUNDS_CHECK, 4, x, [0, 0, 0, 4, 0, 0], &y, 1, 4, 3, 2) == 3)
    let wide = x.map(Double.init)
    var z = [Double](repeating: -1, count: 12)
    #expect(ck_gather_along_axis(CK_BOUNDS_CHECK, 8, wide, list, &z, 2, 4, 3, 2) == -1)
    #expect(z == expected.map(Double.init))

    let coordinates: [Int32] = [1, 3, 0, -1, -2, 2]
    var w = [Float](repeating: -1, count: 9)
    #expect(ck_gather_nd(CK_BOUNDS_CHECK, 4, x, 2, [2, 4], 3, coordinates, 3, &w) == -1)
    #expect(w == [21, 22, 23, 9, 10, 11, 6, 7, 8])
    #expect(ck_gather_nd(CK_BOUNDS_CHECK, 4, x, 2, [2, 4], 3, [1, 1, 0, 4], 2, &w) == 3)
    #expect(ck_gather_nd(CK_BOUNDS_CLAMP, 4, x, 2, [2, 4], 3, [9, 9], 1, &w) == -1)
    #expect(Array(w.prefix(3)) == [21, 22, 23])
  }

  @Test("scatters in every mode, updates in order")
  func scatter() {
    let modes: [(ck_scatter_mode, (Float, Float) -> Float)] = [
      (CK_SCATTER_UPDATE, { $1 }), (CK_SCATTER_ADD, { $0 + $1 }), (CK_SCATTER_SUB, { $0 - $1 }),
      (CK_SCATTER_MUL, { $0 * $1 }), (CK_SCATTER_DIV, { $0 / $1 }), (CK_SCATTER_MAX, { max($0, $1) }),
      (CK_SCATTER_MIN, { min($0, $1) }),
    ]
    let start = (0..<24).map { Float($0) - 8 }, updates = (0..<18).map { Float($0 * 5 % 17) + 1 }
    let list: [Int32] = [2, -1, 2]  // one position twice
    for (mode, combine) in modes {
      var data = start, wanted = start
      #expect(ck_scatter_f32(mode, CK_BOUNDS_CHECK, &data, list, updates, 2, 4, 3, 3) == -1)
      for o in 0..<2 {
        for (j, i) in [2, 3, 2].enumerated() {
          for k in 0..<3 {
            let at = (o * 4 + i) * 3 + k
            wanted[at] = combine(wanted[at], updates[(o * 3 + j) * 3 + k])
          }
        }
      }
      #expect(data == wanted, "mode \(mode)")

      let along: [Int32] = [0, 1, -1, 3, 1, 2, 0, 0, 0, 1, 1, 1]  // [2, 2, 3]
      data = start
      wanted = start
      #expect(ck_scatter_along_axis_f32(mode, CK_BOUNDS_CHECK, &data, along, updates, 2, 4, 3, 2) == -1)
      for at in 0..<12 {
        let i = Int(along[at]) < 0 ? Int(along[at]) + 4 : Int(along[at])
        let place = (at / 6 * 4 + i) * 3 + at % 3
        wanted[place] = combine(wanted[place], updates[at])
      }
      #expect(data == wanted, "along, mode \(mode)")

      data = start
      wanted = start
      #expect(ck_scatter_nd_f32(mode, CK_BOUNDS_CHECK, &data, 2, [2, 4], 3, [1, 0, 1, 0, 0, -1], 3, updates) == -1)
      for (j, row) in [4, 4, 3].enumerated() {
        for k in 0..<3 { wanted[row * 3 + k] = combine(wanted[row * 3 + k], updates[j * 3 + k]) }
      }
      #expect(data == wanted, "nd, mode \(mode)")
    }
    var integers: [Int32] = [.max, 7, .min, 5]
    #expect(ck_scatter_i32(CK_SCATTER_ADD, CK_BOUNDS_CHECK, &integers, [0], [1], 1, 4, 1, 1) == -1)
    #expect(ck_scatter_i32(CK_SCATTER_DIV, CK_BOUNDS_CHECK, &integers, [1, 2], [0, -1], 1, 4, 1, 2) == -1)
    #expect(integers == [.min, 0, .min, 5])
    #expect(ck_scatter_i32(CK_SCATTER_ADD, CK_BOUNDS_CHECK, &integers, [0, 4], [1, 1], 1, 4, 1, 2) == 1)
    #expect(ck_scatter_nd_i32(CK_SCATTER_MAX, CK_BOUNDS_CHECK, &integers, 1, [4], 1, [3, -9], 2, [9, 9]) == 1)
    #expect(integers[3] == 9)
    #expect(ck_scatter_along_axis_i32(CK_SCATTER_UPDATE, CK_BOUNDS_CLAMP, &integers, [99], [4], 1, 4, 1, 1) == -1)
    #expect(integers[3] == 4)
  }

  @Test("resampling by tables")
  func resize() {
    var random = Random(59)
    for (planes, h, w, outH, outW) in [(2, 3, 5, 6, 10), (1, 4, 37, 7, 50), (3, 1, 1, 2, 3), (1, 20, 40, 5, 9)] {
      let x = random.floats(planes * h * w)
      let rows = (0..<outH).map { Int32($0 * h / outH) }, columns = (0..<outW).map { Int32($0 * w / outW) }
      let nearest = output(planes * outH * outW) {
        ck_resize_nearest_f32(x, planes, h, w, rows, columns, $0, outH, outW)
      }
      let wanted = indices([planes, outH, outW]).map { x[($0[0] * h + Int(rows[$0[1]])) * w + Int(columns[$0[2]])] }
      expectEqual(nearest, wanted, "nearest \(h) x \(w)")

      func taps(_ count: Int, _ length: Int) -> [ck_tap] {
        (0..<count).map { i in
          let at = Float(i) * Float(length - 1) / Float(max(count - 1, 1)), low = Int32(at)
          return ck_tap(low: low, high: min(low + 1, Int32(length - 1)), weight: at - Float(low))
        }
      }
      let y = taps(outH, h), t = taps(outW, w)
      withEachISA { isa in
        var scratch = [Float](repeating: 0, count: max(w, 2 * outW))
        let linear = output(planes * outH * outW) {
          ck_resize_bilinear_f32(x, planes, h, w, y, t, &scratch, $0, outH, outW)
        }
        let expected = indices([planes, outH, outW]).map { index -> Double in
          func row(_ r: Int32) -> Double {
            let p = (index[0] * h + Int(r)) * w, tap = t[index[2]]
            let a = Double(x[p + Int(tap.low)]), b = Double(x[p + Int(tap.high)])
            return a + Double(tap.weight) * (b - a)
          }
          let tap = y[index[1]]
          return row(tap.low) + Double(tap.weight) * (row(tap.high) - row(tap.low))
        }
        expectClose(linear, expected, absolute: 1e-6, "\(isa) bilinear \(h) x \(w)")
      }
    }
  }
}
