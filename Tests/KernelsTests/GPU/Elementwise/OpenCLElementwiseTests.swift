import Foundation
import TestSupport
import Testing

@testable import CoreMLKernels

/// Elementwise kernels compared with plain loops in double precision.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLElementwiseTests {
  private static func functions() -> [(CLFunction, (Double) -> Double)] {
    func f(_ name: String, _ alpha: Float = 0, _ beta: Float = 0) -> CLFunction {
      (try? CLFunction(name, alpha: alpha, beta: beta)) ?? .identity
    }
    func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }
    return [
      (.identity, { $0 }), (f("abs"), { abs($0) }), (f("acos"), { acos($0) }), (f("asin"), { asin($0) }),
      (f("acosh"), { acosh($0) }), (f("asinh"), { asinh($0) }), (f("atan"), { atan($0) }), (f("atanh"), { atanh($0) }),
      (f("ceil"), { $0.rounded(.up) }), (f("cos"), { cos($0) }),
      (f("cosh"), { cosh($0) }), (f("erf"), { erf($0) }), (f("exp"), { exp($0) }), (f("exp2"), { exp2($0) }),
      (f("floor"), { $0.rounded(.down) }), (f("round"), { $0.rounded(.toNearestOrEven) }),
      (f("sign"), { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 }), (f("sin"), { sin($0) }), (f("sinh"), { sinh($0) }),
      (f("sqrt"), { sqrt($0) }), (f("square"), { $0 * $0 }), (f("tan"), { tan($0) }), (f("tanh"), { tanh($0) }),
      (f("inverse", 0.125), { 1 / ($0 + 0.125) }), (f("log", 0.25), { log($0 + 0.25) }),
      (f("rsqrt", 0.25), { 1 / sqrt($0 + 0.25) }),
      (f("clip", -0.5, 0.75), { $0.isNaN ? $0 : min(max($0, -0.5), 0.75) }),
      (f("threshold", 0.25), { $0.isNaN ? $0 : max($0, 0.25) }), (f("relu"), { $0.isNaN ? $0 : max($0, 0) }),
      (f("relu6"), { $0.isNaN ? $0 : min(max($0, 0), 6) }), (f("leaky_relu", 0.125), { $0 < 0 ? 0.125 * $0 : $0 }),
      (f("thresholded_relu", 0.25), { $0 < 0.25 ? 0 : $0 }),
      (f("clamped_relu", 0.25, 0.5), { $0.isNaN ? $0 : min($0 < 0 ? 0.25 * $0 : $0, 0.5) }),
      (f("elu", 0.5), { $0 < 0 ? 0.5 * expm1($0) : $0 }), (f("linear_activation", 2, 3), { 2 * $0 + 3 }),
      (f("sigmoid"), { sigmoid($0) }),
      (f("sigmoid_hard", 0.25, 0.5), { $0.isNaN ? $0 : min(max(0.25 * $0 + 0.5, 0), 1) }),
      (f("hard_swish"), { $0.isNaN ? $0 : $0 * min(max($0 + 3, 0), 6) / 6 }),
      (f("hard_swish_scaled", 0.25, 0.75), { $0.isNaN ? $0 : $0 * min(max(0.25 * $0 + 0.375, 0), 0.75) }),
      (f("hard_swish_cut", 0.125, -2), { $0 < -2 ? 0 : $0.isNaN ? $0 : $0 * min(max(0.125 * $0 + 0.5, 0), 1) }),
      (f("scaled_tanh", 1.5, 0.5), { 1.5 * tanh(0.5 * $0) }), (f("silu"), { $0 * sigmoid($0) }),
      (f("softplus"), { $0 > 30 ? $0 : log1p(exp($0)) }),
      (f("softplus_parametric", 2, 0.5), { 2 * log1p(exp(0.5 * $0)) }), (f("softsign"), { $0 / (1 + abs($0)) }),
      (f("gelu"), { 0.5 * $0 * (1 + erf($0 / 2.0.squareRoot())) }),
      (f("gelu_tanh"), { 0.5 * $0 * (1 + tanh((2 / Double.pi).squareRoot() * ($0 + 0.044715 * $0 * $0 * $0))) }),
      (f("gelu_sigmoid"), { $0 * sigmoid(1.702 * $0) }),
      (f("mish"), { $0 * tanh($0 > 30 ? $0 : log1p(exp($0))) }),
    ]
  }

  @Test func everyFunctionIsTested() {
    #expect(Set(Self.functions().map(\.0.name)) == CLFunction.names)
    #expect(throws: KernelError.self) { try CLFunction("no_such_function") }
  }

  @Test func functionsOfOneNumber() throws {
    let context = try OpenCLHarness.context()
    let x = OpenCLHarness.numbers(300).map { $0 * 8 } + [0, 0.5, 1.5, -2.5, .nan] + OpenCLHarness.numbers(60)
    let input = try OpenCLHarness.upload(x)
    for (function, expected) in Self.functions() {
      let unary = try CLUnary(context, function, count: x.count)
      let found = try OpenCLHarness.run(x.count) { try unary.enqueue(on: $0, x: input, y: $1) }
      OpenCLHarness.expectClose(found, x.map { Float(expected(Double($0))) }, tolerance: 2e-5, function.name)
    }
    #expect(throws: KernelError.self) {
      let unary = try CLUnary(context, .identity, count: x.count + 1)
      _ = try OpenCLHarness.run(x.count + 1) { try unary.enqueue(on: $0, x: input, y: $1) }
    }
  }

  @Test func realNumbersOfTwoTensors() throws {
    let x = OpenCLHarness.numbers(60).map { $0 * 5 } + [3, -3, 0, 7]
    let y = OpenCLHarness.numbers(62, seed: 2).map { $0 == 0 ? 1 : $0 * 3 } + [3, .nan]
    let functions: [(String, (Double, Double) -> Double)] = [
      ("add", { $0 + $1 }), ("sub", { $0 - $1 }), ("mul", { $0 * $1 }), ("real_div", { $0 / $1 }),
      ("floor_div", { ($0 / $1).rounded(.down) }), ("mod", { $0 - ($0 / $1).rounded(.down) * $1 }),
      ("pow", { pow($0, $1) }), ("maximum", { $0.isNaN || $1.isNaN ? .nan : max($0, $1) }),
      ("minimum", { $0.isNaN || $1.isNaN ? .nan : min($0, $1) }), ("prelu", { $0 < 0 ? $0 * $1 : $0 }),
    ]
    for (name, expected) in functions {
      let found: [Float] = try binary(name, .float, x, y, initial: .nan)
      OpenCLHarness.expectClose(found, zip(x, y).map { Float(expected(Double($0), Double($1))) }, tolerance: 2e-5, name)
    }
    let comparisons: [(String, (Float, Float) -> Bool)] = [
      ("equal", { $0 == $1 }), ("not_equal", { $0 != $1 }), ("less", { $0 < $1 }), ("less_equal", { $0 <= $1 }),
      ("greater", { $0 > $1 }), ("greater_equal", { $0 >= $1 }),
    ]
    for (name, expected) in comparisons {
      let found: [UInt8] = try binary(name, .float, x, y, initial: 9)
      #expect(found == zip(x, y).map { expected($0, $1) ? 1 : 0 }, "\(name)")
    }
  }

  @Test func integersOfTwoTensors() throws {
    let x: [Int32] = [7, -7, 7, -7, 6, 0, .min, .max, 3, -2, 5, -1, 2]
    let y: [Int32] = [2, 2, -2, -2, 3, 5, -1, 1, 0, 3, -1, -3, 10]
    func divide(_ x: Int32, _ y: Int32) -> Int32 { y == 0 ? 0 : x.dividedReportingOverflow(by: y).partialValue }
    func floor(_ x: Int32, _ y: Int32) -> Int32 {
      let quotient = divide(x, y)
      return y != 0 && (x < 0) != (y < 0) && quotient &* y != x ? quotient - 1 : quotient
    }
    let functions: [(String, (Int32, Int32) -> Int32)] = [
      ("add", { $0 &+ $1 }), ("sub", { $0 &- $1 }), ("mul", { $0 &* $1 }), ("real_div", divide), ("floor_div", floor),
      ("mod", { $1 == 0 ? 0 : $0 &- floor($0, $1) &* $1 }), ("maximum", { max($0, $1) }), ("minimum", { min($0, $1) }),
    ]
    for (name, expected) in functions {
      let found: [Int32] = try binary(name, .int, x, y, initial: 99)
      #expect(found == zip(x, y).map(expected), "\(name)")
    }
    let powers: [Int32] = try binary(
      "pow", .int, [Int32(3), -2, 2, 5, -1], [Int32(4), 3, -1, 0, -3], initial: Int32(9))
    #expect(powers == [81, -8, 0, 1, -1])
    let comparisons: [(String, (Int32, Int32) -> Bool)] = [
      ("equal", { $0 == $1 }), ("not_equal", { $0 != $1 }), ("less", { $0 < $1 }), ("less_equal", { $0 <= $1 }),
      ("greater", { $0 > $1 }), ("greater_equal", { $0 >= $1 }),
    ]
    for (name, expected) in comparisons {
      let found: [UInt8] = try binary(name, .int, x, y, initial: 9)
      #expect(found == zip(x, y).map { expected($0, $1) ? 1 : 0 }, "\(name)")
    }
  }

  @Test func logic() throws {
    let (x, y): ([UInt8], [UInt8]) = ([0, 0, 1, 1], [0, 1, 0, 1])
    let truth: [(String, [UInt8])] = [
      ("logical_and", [0, 0, 0, 1]), ("logical_or", [0, 1, 1, 1]), ("logical_xor", [0, 1, 1, 0]),
      ("equal", [1, 0, 0, 1]), ("not_equal", [0, 1, 1, 0]),
    ]
    for (name, expected) in truth { #expect(try binary(name, .bool, x, y, initial: UInt8(9)) == expected, "\(name)") }
  }

  @Test func shapesAreBroadcast() throws {
    let context = try OpenCLHarness.context()
    let cases: [([Int], [Int], [Int])] = [
      ([2, 3, 4], [3, 1], [2, 3, 4]), ([1], [5, 2], [5, 2]),
      ([2, 1, 3, 1, 2, 1], [1, 2, 1, 3, 1, 2], [2, 2, 3, 3, 2, 2]),
      ([], [], []), ([0, 3], [1, 3], [0, 3]), ([4, 1, 5], [4, 6, 5], [4, 6, 5]),
    ]
    for (xShape, yShape, shape) in cases {
      let x = OpenCLHarness.numbers(xShape.reduce(1, *))
      let y = OpenCLHarness.numbers(yShape.reduce(1, *), seed: 5)
      let add = try CLBinary(
        context, "sub", of: .float, x: xShape, y: yShape, output: shape, then: CLFunction("leaky_relu", alpha: 0.5))
      let (a, b) = (try OpenCLHarness.upload(x), try OpenCLHarness.upload(y))
      let count = shape.reduce(1, *)
      let found = try OpenCLHarness.run(count) { try add.enqueue(on: $0, x: a, y: b, z: $1) }
      let (xi, yi) = (Repeat.offsets(of: xShape, in: shape), Repeat.offsets(of: yShape, in: shape))
      let expected = (0..<count).map { (index: Int) -> Float in
        let difference: Float = x[xi[index]] - y[yi[index]]
        return difference < 0 ? difference * 0.5 : difference
      }
      #expect(found == expected, "\(xShape) with \(yShape)")

      let condition = (0..<x.count).map { UInt8($0 % 2) }
      let select = try CLSelect(context, elementSize: 4, condition: xShape, x: yShape, y: xShape, output: shape)
      let c = try OpenCLHarness.upload(condition)
      let picked = try OpenCLHarness.run(count) { try select.enqueue(on: $0, condition: c, x: b, y: a, z: $1) }
      #expect(
        picked == (0..<count).map { (index: Int) -> Float in condition[xi[index]] != 0 ? y[yi[index]] : x[xi[index]] },
        "select \(shape)")
    }
    #expect(throws: KernelError.self) {
      try CLBinary(context, "add", of: .float, x: [2, 3], y: [4], output: [2, 3])
    }
    #expect(throws: KernelError.self) { try CLBinary(context, "logical_and", of: .float, x: [1], y: [1], output: [1]) }
  }

  @Test func casts() throws {
    let reals: [Float] = [0, 0.9, -0.9, 2.5, -3.5, 1e10, -1e10, .nan]
    #expect(try cast(reals, .float, .int, initial: Int32(7)) == [0, 0, 0, 2, -3, .max, .min, 0])
    #expect(try cast(reals, .float, .bool, initial: UInt8(7)) == [0, 1, 1, 1, 1, 1, 1, 1])
    #expect(try cast([Int32(0), -5, 256], .int, .bool, initial: UInt8(7)) == [0, 1, 1])
    #expect(try cast([Int32(0), -5, 256], .int, .float, initial: Float(7)) == [0, -5, 256])
    #expect(try cast([UInt8(0), 1], .bool, .float, initial: Float(7)) == [0, 1])
    #expect(try cast([UInt8(0), 1], .bool, .int, initial: Int32(7)) == [0, 1])
    // Small integer types, cast to each other and to all other types.
    let wide: [Int32] = [0, 1, -1, 127, -128, 128, 255, 256, -32768, 40000, 65535, 65536]
    #expect(try cast(wide, .int, .int8, initial: Int8(7)) == wide.map { Int8(clamping: $0) })
    #expect(try cast(wide, .int, .uint8, initial: UInt8(7)) == wide.map { UInt8(clamping: $0) })
    #expect(try cast(wide, .int, .int16, initial: Int16(7)) == wide.map { Int16(clamping: $0) })
    #expect(try cast(wide, .int, .uint16, initial: UInt16(7)) == wide.map { UInt16(clamping: $0) })
    #expect(try cast(reals, .float, .int8, initial: Int8(7)) == [0, 0, 0, 2, -3, 127, -128, 0])
    #expect(try cast(reals, .float, .uint16, initial: UInt16(7)) == [0, 0, 0, 2, 0, 65535, 0, 0])
    #expect(try cast([Int8(-128), 0, 127], .int8, .float, initial: Float(7)) == [-128, 0, 127])
    #expect(try cast([UInt16(65535), 3], .uint16, .int8, initial: Int8(7)) == [127, 3])
    #expect(try cast([UInt16(65535), 3], .uint16, .int, initial: Int32(7)) == [65535, 3])
    #expect(try cast([Int16(-5), 0], .int16, .bool, initial: UInt8(7)) == [1, 0])
    #expect(try cast([UInt8(0), 200], .uint8, .half, initial: UInt16(7)) == [0, 0x5A40])
    // fp16: 1, -2, the nearest value to 0.1, the largest, a value that rounds to infinity, a tie to even, and the
    // smallest.
    let f16: [UInt16] = [0x3C00, 0xC000, 0x2E66, 0x7BFF, 0x7C00, 0x6800, 0x0001]
    let values: [Float] = [1, -2, 0.1, 65504, 70000, 2049, 5.9604645e-08]
    #expect(try cast(values, .float, .half, initial: UInt16(7)) == f16)
    #expect(
      try cast(f16, .half, .float, initial: Float(7)) == [1, -2, 0.099975586, 65504, .infinity, 2048, values[6]])
    #expect(try cast(f16, .half, .int, initial: Int32(7)) == [1, -2, 0, 65504, .max, 2048, 0])
    #expect(try cast([Int32(3), -70000], .int, .half, initial: UInt16(7)) == [0x4200, 0xFC00])
  }

  private func cast<A: BitwiseCopyable, B: BitwiseCopyable>(
    _ x: [A], _ from: CLScalar, _ to: CLScalar, initial: B
  ) throws -> [B] {
    let cast = try CLCast(try OpenCLHarness.context(), from: from, to: to, count: x.count)
    let input = try OpenCLHarness.upload(x)
    return try OpenCLHarness.run(x.count, initial: initial) { try cast.enqueue(on: $0, x: input, y: $1) }
  }

  private func binary<A: BitwiseCopyable, B: BitwiseCopyable>(
    _ name: String, _ scalar: CLScalar, _ x: [A], _ y: [A], initial: B
  ) throws -> [B] {
    let kernel = try CLBinary(
      try OpenCLHarness.context(), name, of: scalar, x: [x.count], y: [y.count], output: [x.count])
    let (a, b) = (try OpenCLHarness.upload(x), try OpenCLHarness.upload(y))
    return try OpenCLHarness.run(x.count, initial: initial) { try kernel.enqueue(on: $0, x: a, y: b, z: $1) }
  }
}

/// Offsets into a broadcast tensor for each element of the result.
enum Repeat {
  static func offsets(of shape: [Int], in target: [Int]) -> [Int] {
    let padded = [Int](repeating: 1, count: target.count - shape.count) + shape
    return (0..<target.reduce(1, *)).map { element in
      var rest = element
      var offset = 0
      var stride = 1
      for index in target.indices.reversed() {
        let place = rest % target[index]
        rest /= target[index]
        offset += (padded[index] == 1 ? 0 : place) * stride
        stride *= padded[index]
      }
      return offset
    }
  }
}
