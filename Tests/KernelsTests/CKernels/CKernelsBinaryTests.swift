import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// Operand strides for an output shape: every pattern with its own code path in the row kernels, and some that they
  /// pack.
  struct Broadcast: Sendable {
    var shape: [Int]
    var a: [Int]
    var b: [Int]
  }

  static let broadcasts: [Broadcast] = [
    .init(shape: [], a: [], b: []),
    .init(shape: [0, 3], a: [3, 1], b: [3, 1]),
    .init(shape: [53], a: [1], b: [1]),
    .init(shape: [53], a: [0], b: [1]),
    .init(shape: [53], a: [1], b: [0]),
    .init(shape: [19], a: [0], b: [0]),
    .init(shape: [3, 5, 7], a: [35, 7, 1], b: [0, 1, 0]),  // a channel vector
    .init(shape: [3, 5, 7], a: [0, 0, 1], b: [35, 7, 1]),  // a row
    .init(shape: [4, 1, 6], a: [0, 0, 1], b: [1, 0, 0]),  // an outer product
    .init(shape: [5, 300], a: [1, 5], b: [300, 1]),  // transposed
    .init(shape: [2, 9], a: [9, 1], b: [18, 2]),
    .init(shape: [2, 3, 2, 2, 1, 2, 3, 2], a: [144, 48, 24, 12, 12, 6, 2, 1], b: [0, 4, 0, 2, 0, 0, 0, 1]),
  ]

  /// The value of an operand at each index of the output.
  static func operand<T>(_ shape: [Int], _ strides: [Int], _ data: [T]) -> [T] {
    indices(shape).map { data[offset($0, strides)] }
  }

  static func floorMod(_ a: Double, _ b: Double) -> Double {
    if b == 0 { return .nan }
    let r = fmod(a, b)
    return r != 0 && (r < 0) != (b < 0) ? r + b : r
  }

  static let floatOps: [(String, ck_binary_op, @Sendable (Double, Double) -> Double)] = [
    ("add", CK_BINARY_ADD, { $0 + $1 }), ("sub", CK_BINARY_SUB, { $0 - $1 }), ("mul", CK_BINARY_MUL, { $0 * $1 }),
    ("div", CK_BINARY_DIV, { $0 / $1 }),
    ("max", CK_BINARY_MAX, { $0.isNaN ? $0 : $1.isNaN ? $1 : max($0, $1) }),
    ("min", CK_BINARY_MIN, { $0.isNaN ? $0 : $1.isNaN ? $1 : min($0, $1) }),
    ("pow", CK_BINARY_POW, { pow($0, $1) }),
    ("floor_div", CK_BINARY_FLOOR_DIV, { ($0 / $1).rounded(.down) }), ("mod", CK_BINARY_MOD, { floorMod($0, $1) }),
  ]

  @Test("binary float32 over every broadcast pattern")
  func binaryFloat() {
    var random = Random(11)
    let a = random.floats(2000, in: -4...4), b = random.floats(2000, in: -4...4)
    withEachISA { isa in
      for (name, op, reference) in Self.floatOps {
        for c in Self.broadcasts {
          let n = c.shape.reduce(1, *)
          let y = output(n) { _ = ck_binary_f32(op, a, b, $0, c.shape.count, c.shape, c.a, c.b) }
          let expected = zip(Self.operand(c.shape, c.a, a), Self.operand(c.shape, c.b, b)).map {
            reference(Double($0), Double($1))
          }
          expectClose(y, expected, "\(isa) \(name) \(c.shape)")
        }
      }
    }
  }

  @Test("binary float32 of special values")
  func binarySpecial() {
    let values: [Float] = [
      .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 2, -3, 0.5, 1e30, -1e-30, 7, 3, 16_777_216,
      .leastNormalMagnitude / 64,
    ]
    let a = values.flatMap { v in values.map { _ in v } }, b = values.flatMap { _ in values }
    withEachISA { isa in
      for (name, op, reference) in Self.floatOps where op != CK_BINARY_FLOOR_DIV && op != CK_BINARY_MOD {
        let y = output(a.count) { _ = ck_binary_f32(op, a, b, $0, 1, [a.count], [1], [1]) }
        let expected = zip(a, b).map { reference(Double($0), Double($1)) }
        expectClose(y, expected, absolute: 1e-44, "\(isa) \(name)")
      }
    }
  }

  @Test("floor division and remainder are those of Python")
  func floorDivision() {
    // a, b, a // b, a % b
    let table: [(Float, Float, Float, Float)] = [
      (7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, 3, 2, 0), (-6, 3, -2, 0), (0, 5, 0, 0),
      (5.5, 2, 2, 1.5), (-1e-30, 1, -1, 1), (1, 0, .infinity, .nan), (-1, 0, -.infinity, .nan), (0, 0, .nan, .nan),
      (1, .infinity, 0, 1), (-1, .infinity, -1, .infinity), (.infinity, 2, .nan, .nan), (.nan, 2, .nan, .nan),
      (0.3, 0.1, 3, 7.450581e-09), (1, 0.1, 9, 0.099999994),
    ]
    withEachISA { isa in
      for (a, b, quotient, remainder) in table {
        for n in [1, 18] {
          let x = [Float](repeating: a, count: n), y = [Float](repeating: b, count: n)
          let q = output(n) { _ = ck_binary_f32(CK_BINARY_FLOOR_DIV, x, y, $0, 1, [n], [1], [1]) }
          let r = output(n) { _ = ck_binary_f32(CK_BINARY_MOD, x, y, $0, 1, [n], [1], [1]) }
          expectClose(q, .init(repeating: Double(quotient), count: n), "\(isa) \(a) // \(b)")
          expectClose(r, .init(repeating: Double(remainder), count: n), absolute: 1e-15, "\(isa) \(a) % \(b)")
        }
      }
    }
  }

  static func integerPower(_ a: Int32, _ b: Int32) -> Int32 {
    if b < 0 { return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0 }
    return (0..<b).reduce(Int32(1)) { r, _ in r &* a }
  }

  static func floorQuotient(_ a: Int32, _ b: Int32) -> Int32 {
    if b == 0 { return 0 }
    if b == -1 { return 0 &- a }
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0)
  }

  @Test("binary int32 wraps, and divides by zero without trapping")
  func binaryInt() {
    let ops: [(String, ck_binary_op, (Int32, Int32) -> Int32)] = [
      ("add", CK_BINARY_ADD, { $0 &+ $1 }), ("sub", CK_BINARY_SUB, { $0 &- $1 }), ("mul", CK_BINARY_MUL, { $0 &* $1 }),
      ("div", CK_BINARY_DIV, { $1 == 0 ? 0 : $1 == -1 ? 0 &- $0 : $0 / $1 }),
      ("max", CK_BINARY_MAX, { max($0, $1) }), ("min", CK_BINARY_MIN, { min($0, $1) }),
      ("floor_div", CK_BINARY_FLOOR_DIV, Self.floorQuotient),
      ("mod", CK_BINARY_MOD, { $1 == 0 ? 0 : $0 &- Self.floorQuotient($0, $1) &* $1 }),
    ]
    var random = Random(5)
    let edges: [Int32] = [0, 1, -1, 2, -2, 7, -7, .max, .min, .max - 1, 65536, -65537]
    let a = edges.flatMap { v in edges.map { _ in v } } + random.ints(1900, in: .min ... .max)
    let b = edges.flatMap { _ in edges } + random.ints(1900, in: -50...50)
    withEachISA { isa in
      for (name, op, reference) in ops {
        for c in Self.broadcasts + [.init(shape: [a.count], a: [1], b: [1])] {
          var y = [Int32](repeating: 99, count: c.shape.reduce(1, *))
          #expect(ck_binary_i32(op, a, b, &y, c.shape.count, c.shape, c.a, c.b))
          let expected = zip(Self.operand(c.shape, c.a, a), Self.operand(c.shape, c.b, b)).map(reference)
          expectEqual(y, expected, "\(isa) \(name) \(c.shape)")
        }
      }
      let bases: [Int32] = [2, -3, 0, 1, -1, 5, 7, -1, 2], exponents: [Int32] = [10, 3, 0, -5, -3, -1, 40, -4, 31]
      var y = [Int32](repeating: 0, count: bases.count)
      #expect(ck_binary_i32(CK_BINARY_POW, bases, exponents, &y, 1, [bases.count], [1], [1]))
      expectEqual(y, zip(bases, exponents).map(Self.integerPower), "\(isa) pow")
    }
  }

  @Test("comparisons")
  func compare() {
    let ops: [(String, ck_compare_op, (Float, Float) -> Bool, (Int32, Int32) -> Bool)] = [
      ("eq", CK_COMPARE_EQ, { $0 == $1 }, { $0 == $1 }), ("ne", CK_COMPARE_NE, { $0 != $1 }, { $0 != $1 }),
      ("lt", CK_COMPARE_LT, { $0 < $1 }, { $0 < $1 }), ("le", CK_COMPARE_LE, { $0 <= $1 }, { $0 <= $1 }),
      ("gt", CK_COMPARE_GT, { $0 > $1 }, { $0 > $1 }), ("ge", CK_COMPARE_GE, { $0 >= $1 }, { $0 >= $1 }),
    ]
    var random = Random(23)
    let ia = random.ints(2000, in: -2...2), ib = random.ints(2000, in: -2...2)
    let specials: [Float] = [.nan, .infinity, -.infinity, 0, -0.0, 1, -1]
    let fa = (0..<2000).map { specials[$0 % 7] }, fb = (0..<2000).map { specials[$0 / 7 % 7] }
    withEachISA { isa in
      for (name, op, float, int) in ops {
        for c in Self.broadcasts {
          let n = c.shape.reduce(1, *)
          var y = [UInt8](repeating: 9, count: n)
          #expect(ck_compare_f32(op, fa, fb, &y, c.shape.count, c.shape, c.a, c.b))
          let wantedFloat = zip(Self.operand(c.shape, c.a, fa), Self.operand(c.shape, c.b, fb)).map { float($0, $1) }
          expectEqual(y, wantedFloat.map { $0 ? 1 : 0 }, "\(isa) float \(name) \(c.shape)")
          #expect(ck_compare_i32(op, ia, ib, &y, c.shape.count, c.shape, c.a, c.b))
          let wantedInt = zip(Self.operand(c.shape, c.a, ia), Self.operand(c.shape, c.b, ib)).map { int($0, $1) }
          expectEqual(y, wantedInt.map { $0 ? 1 : 0 }, "\(isa) int \(name) \(c.shape)")
        }
      }
    }
  }

  @Test("logic treats every non-zero byte as true")
  func logical() {
    let a: [UInt8] = (0..<2000).map { [0, 1, 2, 255][$0 % 4] }
    let b: [UInt8] = (0..<2000).map { [0, 7, 0, 1][$0 / 4 % 4] }
    for (op, reference) in [
      (CK_LOGICAL_AND, { $0 && $1 }), (CK_LOGICAL_OR, { $0 || $1 }), (CK_LOGICAL_XOR, { $0 != $1 }),
    ] as [(ck_logical_op, (Bool, Bool) -> Bool)] {
      for c in Self.broadcasts {
        var y = [UInt8](repeating: 9, count: c.shape.reduce(1, *))
        #expect(ck_logical_u8(op, a, b, &y, c.shape.count, c.shape, c.a, c.b))
        let expected = zip(Self.operand(c.shape, c.a, a), Self.operand(c.shape, c.b, b)).map {
          reference($0 != 0, $1 != 0) ? UInt8(1) : 0
        }
        expectEqual(y, expected, "\(op) \(c.shape)")
      }
    }
    var y = [UInt8](repeating: 9, count: 8)
    ck_logical_not_u8(a, &y, 8)
    #expect(y == [1, 0, 0, 0, 1, 0, 0, 0])
  }

  @Test("select, for each element size")
  func select() {
    func check<T: FixedWidthInteger>(_ type: T.Type) {
      let condition: [UInt8] = (0..<2000).map { $0 % 3 == 0 ? 0 : UInt8($0 % 5) }
      let a = (0..<2000).map { T(truncatingIfNeeded: $0 &* 7) }
      let b = (0..<2000).map { T(truncatingIfNeeded: $0 &* 31 &+ 5) }
      for c in Self.broadcasts {
        for strides in [contiguous(c.shape), c.a] {
          var y = [T](repeating: 0, count: c.shape.reduce(1, *))
          #expect(ck_select(MemoryLayout<T>.size, condition, a, b, &y, c.shape.count, c.shape, strides, c.a, c.b))
          let expected = indices(c.shape).map {
            condition[offset($0, strides)] != 0 ? a[offset($0, c.a)] : b[offset($0, c.b)]
          }
          expectEqual(y, expected, "\(T.self) \(c.shape)")
        }
      }
    }
    check(UInt8.self)
    check(UInt16.self)
    check(UInt32.self)
    check(UInt64.self)
    var y: [UInt8] = [0, 0, 0]
    #expect(!ck_select(3, [1], [1, 2, 3] as [UInt8], [1, 2, 3] as [UInt8], &y, 1, [1], [1], [1], [1]))
  }

  @Test("a rank above the limit is refused")
  func rankLimit() {
    let shape = [Int](repeating: 1, count: 9), one: [Float] = [1]
    var y: [Float] = [5]
    #expect(!ck_binary_f32(CK_BINARY_ADD, one, one, &y, 9, shape, shape, shape))
    #expect(y == [5])
  }
}
