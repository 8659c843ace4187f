import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// The error bound of a function: `relative` to its result, or `ofInput` relative to the greater of |x| and 1. Errors
  /// below `tiny` are always accepted.
  struct Bound: Sendable, CustomTestStringConvertible {
    let name: String
    let op: ck_unary_op
    var relative = 0.0
    var ofInput = 0.0
    var tiny = 2e-38
    let reference: @Sendable (Double) -> Double
    var testDescription: String { name }
  }

  /// The bounds that vexp.h and vactivation.h state.
  static let bounds: [Bound] = [
    Bound(name: "exp", op: CK_UNARY_EXP, relative: 1.5 / Double(1 << 23), tiny: 1.5e-45) { exp($0) },
    Bound(name: "exp2", op: CK_UNARY_EXP2, relative: 1.5 / Double(1 << 23), tiny: 1.5e-45) { exp2($0) },
    Bound(name: "expm1", op: CK_UNARY_EXPM1, relative: 3e-7) { expm1($0) },
    Bound(name: "log", op: CK_UNARY_LOG, relative: 2e-7) { log($0) },
    Bound(name: "log1p", op: CK_UNARY_LOG1P, relative: 3e-7) { log1p($0) },
    Bound(name: "sigmoid", op: CK_UNARY_SIGMOID, relative: 6e-7) { sigmoid($0) },
    Bound(name: "silu", op: CK_UNARY_SILU, relative: 6e-7, tiny: 2e-36) { gated($0, sigmoid($0)) },
    Bound(name: "tanh", op: CK_UNARY_TANH, relative: 4e-7) { tanh($0) },
    Bound(name: "erf", op: CK_UNARY_ERF, relative: 4e-7) { erf($0) },
    Bound(name: "softplus", op: CK_UNARY_SOFTPLUS, relative: 5e-7) { softplus($0) },
    Bound(name: "mish", op: CK_UNARY_MISH, relative: 6e-7, tiny: 2e-36) { gated($0, Foundation.tanh(softplus($0))) },
    Bound(name: "gelu", op: CK_UNARY_GELU, ofInput: 3e-7) { gated($0, 0.5 * erfc(-$0 / 2.0.squareRoot())) },
    Bound(name: "gelu tanh", op: CK_UNARY_GELU_TANH, ofInput: 2e-7) {
      gated($0, sigmoid(2 * (2 / Double.pi).squareRoot() * ($0 + 0.044715 * $0 * $0 * $0)))
    },
    Bound(name: "gelu sigmoid", op: CK_UNARY_GELU_SIGMOID, ofInput: 2e-7) { gated($0, sigmoid(1.702 * $0)) },
  ]

  /// Values of every exponent and both signs, including the first and the last value of each exponent.
  private static let everywhere: [Float] = {
    var random = Random(71)
    return (0..<512).flatMap { head -> [Float] in
      (0..<48).map { index in
        let mantissa = index == 0 ? 0 : index == 1 ? 0x7f_ffff : UInt32(truncatingIfNeeded: random.next() & 0x7f_ffff)
        return Float(bitPattern: UInt32(head) << 23 | mantissa)
      }
    }
  }()

  @Test("functions keep their stated error bounds over all values", arguments: bounds)
  func accuracy(_ bound: Bound) {
    var random = Random(73)
    let x = Self.everywhere + random.floats(4096, in: -10...10) + random.floats(4096, in: -100...100)
    let expected = x.map { bound.reference(Double($0)) }
    withEachISA { isa in
      let y = output(x.count) { ck_unary_f32(bound.op, 0, 0, x, $0, x.count) }
      var worst = (0.0, Float(0), Float(0))
      for (index, value) in y.enumerated() {
        let target = Float(expected[index])
        if target.isNaN ? value.isNaN : target.isInfinite && value == target { continue }
        let allowed =
          bound.tiny + bound.relative * abs(expected[index]) + bound.ofInput * max(abs(Double(x[index])), 1)
        let ratio = abs(Double(value) - expected[index]) / allowed
        if !(ratio <= worst.0) { worst = (ratio, x[index], value) }
      }
      #expect(worst.0 <= 1, "\(isa): \(bound.name) of \(worst.1) is \(worst.2), \(worst.0) times the bound")
    }
  }

  @Test(
    "softmax, layer norm and their like of rows of many lengths",
    arguments: [1, 3, 7, 10, 16, 17, 40, 96, 130, 384, 1025])
  func rowsOfManyLengths(columns: Int) {
    var random = Random(79)
    for rows in [1, 4, 7] {
      let x = random.floats(rows * columns, in: -30...30).map { $0 + 100 }
      let (gamma, beta) = (random.floats(columns), random.floats(columns))
      let lines = (0..<rows).map { r in (0..<columns).map { Double(x[r * columns + $0]) } }
      let normalized = lines.flatMap { line -> [Double] in
        let (mean, variance) = Self.moments(line)
        return line.indices.map {
          (line[$0] - mean) / (variance + 1e-5).squareRoot() * Double(gamma[$0]) + Double(beta[$0])
        }
      }
      let rootMeanSquare = lines.flatMap { line -> [Double] in
        let mean = line.map { $0 * $0 }.reduce(0, +) / Double(columns)
        return line.indices.map { line[$0] / (mean + 1e-5).squareRoot() * Double(gamma[$0]) }
      }
      withEachISA { isa in
        let label = "\(isa) \(rows) x \(columns)"
        let soft = output(x.count) { ck_softmax_f32(x, $0, rows, columns, 1) }
        expectClose(soft, lines.flatMap(Self.softmax), "softmax \(label)")
        let layer = output(x.count) { ck_layer_norm_f32(x, gamma, beta, 1e-5, $0, rows, columns) }
        // With one element or a few equal elements, subtracting the mean leaves only rounding errors.
        expectClose(layer, normalized, relative: 1e-5, absolute: columns == 1 ? 1e-2 : 2e-5, "layer_norm \(label)")
        let root = output(x.count) { ck_rms_norm_f32(x, gamma, 1e-5, $0, rows, columns) }
        expectClose(root, rootMeanSquare, absolute: 1e-6, "rms_norm \(label)")
      }
    }
  }
}
