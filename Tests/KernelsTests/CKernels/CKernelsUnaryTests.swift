import CKernels
import Foundation
import Testing

extension CKernelsTests {
  struct UnaryCase: Sendable, CustomTestStringConvertible {
    var name: String
    var op: ck_unary_op
    var alpha: Float = 0
    var beta: Float = 0
    var range: ClosedRange<Float> = -8...8
    var absolute = 1e-7
    /// The accepted error for denormal results.
    var tiny = 1e-44
    var reference: @Sendable (Double) -> Double
    var testDescription: String { name }
  }

  static func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }
  static func softplus(_ x: Double) -> Double { max(x, 0) + log1p(exp(-abs(x))) }
  /// x times a probability that is 0 at -infinity.
  static func gated(_ x: Double, _ p: Double) -> Double { x == -.infinity ? 0 : x * p }

  static let unaryCases: [UnaryCase] = [
    .init(name: "identity", op: CK_UNARY_IDENTITY) { $0 },
    .init(name: "abs", op: CK_UNARY_ABS) { abs($0) },
    .init(name: "neg", op: CK_UNARY_NEG) { -$0 },
    .init(name: "sign", op: CK_UNARY_SIGN) { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 + 0 },
    .init(name: "square", op: CK_UNARY_SQUARE) { $0 * $0 },
    .init(name: "reciprocal", op: CK_UNARY_RECIPROCAL, alpha: 0.5) { 1 / ($0 + 0.5) },
    .init(name: "sqrt", op: CK_UNARY_SQRT, range: 0...100) { $0.squareRoot() },
    .init(name: "rsqrt", op: CK_UNARY_RSQRT, alpha: 0.25, range: 0...100) { 1 / ($0 + 0.25).squareRoot() },
    .init(name: "exp", op: CK_UNARY_EXP, range: -103...88) { exp($0) },
    .init(name: "exp2", op: CK_UNARY_EXP2, range: -149...127) { exp2($0) },
    .init(name: "expm1", op: CK_UNARY_EXPM1, range: -3...3, absolute: 0) { expm1($0) },
    .init(name: "log", op: CK_UNARY_LOG, range: 0...1000) { log($0) },
    .init(name: "log with epsilon", op: CK_UNARY_LOG, alpha: 0.5, range: 0...1000) { log($0 + 0.5) },
    .init(name: "log1p", op: CK_UNARY_LOG1P, range: -0.999...3, absolute: 0) { log1p($0) },
    .init(name: "floor", op: CK_UNARY_FLOOR) { $0.rounded(.down) },
    .init(name: "ceil", op: CK_UNARY_CEIL) { $0.rounded(.up) },
    .init(name: "round", op: CK_UNARY_ROUND) { $0.rounded(.toNearestOrEven) },
    .init(name: "trunc", op: CK_UNARY_TRUNC) { $0.rounded(.towardZero) },
    .init(name: "sin", op: CK_UNARY_SIN, range: -1e5...1e5) { sin($0) },
    .init(name: "cos", op: CK_UNARY_COS, range: -1e5...1e5) { cos($0) },
    .init(name: "sin of large values", op: CK_UNARY_SIN, range: 1e6...1e9) { sin($0) },
    .init(name: "tan", op: CK_UNARY_TAN, range: -1.5...1.5) { tan($0) },
    .init(name: "asin", op: CK_UNARY_ASIN, range: -1...1) { asin($0) },
    .init(name: "acos", op: CK_UNARY_ACOS, range: -1...1) { acos($0) },
    .init(name: "atan", op: CK_UNARY_ATAN) { atan($0) },
    .init(name: "sinh", op: CK_UNARY_SINH) { sinh($0) },
    .init(name: "cosh", op: CK_UNARY_COSH) { cosh($0) },
    .init(name: "tanh", op: CK_UNARY_TANH, absolute: 0) { tanh($0) },
    .init(name: "asinh", op: CK_UNARY_ASINH) { asinh($0) },
    .init(name: "acosh", op: CK_UNARY_ACOSH, range: 1...50) { acosh($0) },
    .init(name: "atanh", op: CK_UNARY_ATANH, range: -0.999...0.999) { atanh($0) },
    .init(name: "erf", op: CK_UNARY_ERF, absolute: 0) { erf($0) },
    .init(name: "pow 2", op: CK_UNARY_POW, alpha: 2) { pow($0, 2) },
    .init(name: "pow -1", op: CK_UNARY_POW, alpha: -1) { pow($0, -1) },
    .init(name: "pow 3", op: CK_UNARY_POW, alpha: 3) { pow($0, 3) },
    .init(name: "pow 0.37", op: CK_UNARY_POW, alpha: 0.375, range: 0...1000) { pow($0, 0.375) },
    .init(name: "pow -2.5 of negatives", op: CK_UNARY_POW, alpha: -2.5, range: -1...1) { pow($0, -2.5) },
    .init(name: "linear", op: CK_UNARY_LINEAR, alpha: 1.5, beta: -0.25) { 1.5 * $0 - 0.25 },
    .init(name: "clip", op: CK_UNARY_CLIP, alpha: -1, beta: 2) { $0.isNaN ? $0 : min(max($0, -1), 2) },
    .init(name: "threshold", op: CK_UNARY_THRESHOLD, alpha: 0.5) { $0.isNaN ? $0 : max($0, 0.5) },
    .init(name: "relu", op: CK_UNARY_RELU) { $0 < 0 ? 0 : $0 },
    .init(name: "relu6", op: CK_UNARY_RELU6) { $0.isNaN ? $0 : min(max($0, 0), 6) },
    .init(name: "clamped relu", op: CK_UNARY_CLAMPED_RELU, alpha: 0.5, beta: 3) {
      $0.isNaN ? $0 : min($0 < 0 ? $0 / 2 : $0, 3)
    },
    .init(name: "leaky relu", op: CK_UNARY_LEAKY_RELU, alpha: 0.125) { $0 < 0 ? 0.125 * $0 : $0 },
    .init(name: "thresholded relu", op: CK_UNARY_THRESHOLDED_RELU, alpha: 1) { $0 < 1 ? 0 : $0 },
    .init(name: "elu", op: CK_UNARY_ELU, alpha: 1.5, absolute: 1e-44) { $0 < 0 ? 1.5 * expm1($0) : $0 },
    .init(name: "sigmoid", op: CK_UNARY_SIGMOID, range: -100...100, absolute: 2e-38, tiny: 2e-38) { sigmoid($0) },
    .init(name: "hard sigmoid", op: CK_UNARY_HARD_SIGMOID, alpha: 0.25, beta: 0.5) {
      $0.isNaN ? $0 : min(max(0.25 * $0 + 0.5, 0), 1)
    },
    .init(name: "hard swish", op: CK_UNARY_HARD_SWISH) { gated($0, $0.isNaN ? $0 : min(max($0 + 3, 0), 6) / 6) },
    .init(name: "hard swish, scaled", op: CK_UNARY_HARD_SWISH_SCALED, alpha: 0.16662598, beta: 0.9997559) { x in
      gated(
        x,
        x.isNaN
          ? x : min(max(Double(Float(0.16662598)) * x + Double(Float(0.9997559)) / 2, 0), Double(Float(0.9997559))))
    },
    .init(name: "hard swish, cut", op: CK_UNARY_HARD_SWISH_CUT, alpha: 0.125, beta: -2) { x in
      x < -2 ? 0 : gated(x, x.isNaN ? x : min(max(0.125 * x + 0.5, 0), 1))
    },
    .init(name: "silu", op: CK_UNARY_SILU, tiny: 2e-36) { gated($0, sigmoid($0)) },
    .init(name: "scaled tanh", op: CK_UNARY_SCALED_TANH, alpha: 1.5, beta: 0.75) { 1.5 * tanh(0.75 * $0) },
    .init(name: "softplus", op: CK_UNARY_SOFTPLUS, range: -80...80, absolute: 1e-44, tiny: 2e-38) { softplus($0) },
    .init(name: "parametric softplus", op: CK_UNARY_PARAMETRIC_SOFTPLUS, alpha: 2, beta: 0.5) {
      2 * softplus(0.5 * $0)
    },
    .init(name: "softsign", op: CK_UNARY_SOFTSIGN) { $0.isInfinite ? ($0 < 0 ? -1 : 1) : $0 / (1 + abs($0)) },
    .init(name: "gelu", op: CK_UNARY_GELU, range: -5...8, tiny: 1e-40) {
      gated($0, 0.5 * erfc(-$0 / 2.0.squareRoot()))
    },
    .init(name: "gelu far out", op: CK_UNARY_GELU, range: -1000 ... -5, tiny: 1e-40) {
      gated($0, 0.5 * erfc(-$0 / 2.0.squareRoot()))
    },
    .init(name: "gelu tanh", op: CK_UNARY_GELU_TANH, tiny: 1e-40) {
      gated($0, sigmoid(2 * (2 / Double.pi).squareRoot() * ($0 + 0.044715 * $0 * $0 * $0)))
    },
    .init(name: "mish", op: CK_UNARY_MISH, tiny: 2e-36) { gated($0, Foundation.tanh(softplus($0))) },
    .init(name: "steps", op: CK_UNARY_STEPS, alpha: 0.03125, beta: -100, absolute: 0) {
      $0.isNaN ? 0 : 0.03125 * min(max(($0 / 0.03125).rounded(.toNearestOrEven), -100), 155)
    },
    .init(name: "positive steps", op: CK_UNARY_POSITIVE_STEPS, alpha: 0.03125, beta: 127, absolute: 0) {
      $0.isNaN ? 0 : 0.03125 * min(max(($0 / 0.03125).rounded(.toNearestOrEven), 0), 127)
    },
    .init(name: "gelu sigmoid", op: CK_UNARY_GELU_SIGMOID, tiny: 1e-40) { gated($0, sigmoid(1.702 * $0)) },
  ]

  static let specialValues: [Float] = [
    .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    Float.leastNormalMagnitude / 16, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 88.72,
    88.73, -87.4, -104,
    16_777_218,
  ]

  @Test("every unary operation is in the table of cases")
  func unaryTableIsComplete() {
    let tested = Set(Self.unaryCases.map(\.op.rawValue))
    let missing = (0..<CK_UNARY_COUNT.rawValue).filter { !tested.contains($0) }
    #expect(missing.isEmpty, "numbers of ck_unary_op without a case: \(missing)")
  }

  @Test("unary float32", arguments: unaryCases)
  func unary(_ test: UnaryCase) {
    var random = Random(7)
    withEachISA { isa in
      for n in oddSizes + [1000] {
        let x = random.floats(n, in: test.range)
        let y = output(n, "\(isa) \(n)") { ck_unary_f32(test.op, test.alpha, test.beta, x, $0, n) }
        expectClose(y, x.map { test.reference(Double($0)) }, absolute: test.absolute, "\(isa) n \(n)")
        var z = x
        z.withUnsafeMutableBufferPointer {
          if let p = $0.baseAddress { ck_unary_f32(test.op, test.alpha, test.beta, p, p, n) }
        }
        expectEqual(z.map(\.bitPattern), y.map(\.bitPattern), "\(isa) in place, n \(n)")
      }
    }
  }

  @Test("unary float32 of special values, at every place of a vector", arguments: unaryCases)
  func unarySpecial(_ test: UnaryCase) {
    withEachISA { isa in
      for value in Self.specialValues {
        for (n, at) in [(1, 0), (16, 3), (21, 20), (32, 17)] {
          var x = [Float](repeating: 1, count: n)
          x[at] = value
          let y = output(n) { ck_unary_f32(test.op, test.alpha, test.beta, x, $0, n) }
          let expected = test.reference(Double(value))
          expectClose([y[at]], [expected], absolute: test.tiny, "\(isa) of \(value) at \(at) of \(n)")
        }
      }
    }
  }

  @Test("one parameter per channel")
  func perChannel() {
    var random = Random(3)
    withEachISA { isa in
      for inner in [1, 5, 17, 40] {
        let x = random.floats(2 * 3 * inner)
        let slopes: [Float] = [0.1, 0.5, -2]
        let y = output(x.count) {
          ck_unary_per_channel_f32(CK_UNARY_LEAKY_RELU, slopes, nil, x, $0, 2, 3, inner)
        }
        let expected = x.indices.map { i in
          let v = Double(x[i])
          return v < 0 ? v * Double(slopes[i / inner % 3]) : v
        }
        expectClose(y, expected, "\(isa) inner \(inner)")
        let shifts: [Float] = [1, 2, 3]
        let z = output(x.count) { ck_unary_per_channel_f32(CK_UNARY_LINEAR, slopes, shifts, x, $0, 2, 3, inner) }
        let affine = x.indices.map { i in
          Double(x[i]) * Double(slopes[i / inner % 3]) + Double(shifts[i / inner % 3])
        }
        expectClose(z, affine, "\(isa) linear, inner \(inner)")
      }
    }
  }

  @Test("unary int32 wraps, and refuses unsupported operations")
  func unaryInt() {
    let x: [Int32] = [0, 1, -1, 5, -7, .max, .min, 100_000]
    func run(_ op: ck_unary_op, _ alpha: Int32 = 0, _ beta: Int32 = 0) -> [Int32]? {
      var y = [Int32](repeating: 0, count: x.count)
      return ck_unary_i32(op, alpha, beta, x, &y, x.count) ? y : nil
    }
    #expect(run(CK_UNARY_IDENTITY) == x)
    #expect(run(CK_UNARY_ABS) == x.map { $0 < 0 ? 0 &- $0 : $0 })
    #expect(run(CK_UNARY_NEG) == x.map { 0 &- $0 })
    #expect(run(CK_UNARY_SIGN) == x.map { $0.signum() })
    #expect(run(CK_UNARY_SQUARE) == x.map { $0 &* $0 })
    #expect(run(CK_UNARY_LINEAR, 3, -1) == x.map { $0 &* 3 &- 1 })
    #expect(run(CK_UNARY_CLIP, -2, 9) == x.map { min(max($0, -2), 9) })
    #expect(run(CK_UNARY_THRESHOLD, 4) == x.map { max($0, 4) })
    #expect(run(CK_UNARY_RELU) == x.map { max($0, 0) })
    #expect(run(CK_UNARY_EXP) == nil)
  }
}
