import Foundation
import MIL

enum ElementwiseReference {
  static let unary: [Reference] = [
    map("abs") { abs($0) },
    map("acos") { acos($0) },
    map("asin") { asin($0) },
    map("atan") { atan($0) },
    map("atanh") { atanh($0) },
    map("ceil") { $0.rounded(.up) },
    map("cos") { cos($0) },
    map("cosh") { cosh($0) },
    map("erf") { erf($0) },
    map("exp") { exp($0) },
    map("exp2") { exp2($0) },
    map("floor") { $0.rounded(.down) },
    map("round") { $0.rounded(.toNearestOrEven) },
    map("sign") { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 + 0 },
    map("sin") { sin($0) },
    map("sinh") { sinh($0) },
    map("sqrt") { sqrt($0) },
    map("square") { $0 * $0 },
    map("tan") { tan($0) },
    map("tanh") { tanh($0) },
    map("logical_not") { $0 == 0 ? 1 : 0 },
    map("clip", ["alpha", "beta"]) { x, p in x.isNaN ? x : min(max(x, p[0]), p[1]) },
    map("threshold", ["alpha"]) { x, p in max(x, p[0]) },
    Reference.numeric("inverse") { call in
      let epsilon = try call.invocation.double("epsilon", default: 1e-4)
      return try call.doubles("x").map { 1 / ($0 + epsilon) }
    },
    Reference.numeric("log") { call in
      let epsilon = try call.invocation.double("epsilon", default: 1e-45)
      return try call.doubles("x").map { log($0 + epsilon) }
    },
    Reference.numeric("rsqrt") { call in
      let epsilon = try call.invocation.double("epsilon", default: 1e-12)
      return try call.doubles("x").map { 1 / sqrt($0 + epsilon) }
    },
    Reference("cast") { call in
      if try call.outputType().scalar == .string {
        throw call.invocation.error(.unsupported, "a cast to strings is not supported")
      }
      return [try call.result(call.doubles("x"))]
    },
  ]

  /// An elementwise reference without further arguments.
  static func map(_ name: String, _ function: @escaping @Sendable (Double) -> Double) -> Reference {
    Reference.numeric(name) { try $0.doubles("x").mapped(function) }
  }

  /// An elementwise reference with scalar arguments.
  static func map(
    _ name: String, _ parameters: [String], _ function: @escaping @Sendable (Double, [Double]) -> Double
  ) -> Reference {
    Reference.numeric(name) { call in
      let arguments = try parameters.map { try call.invocation.double($0) }
      return try call.doubles("x").mapped { function($0, arguments) }
    }
  }

  static let binary: [Reference] = [
    zip("add") { $0 + $1 },
    zip("sub") { $0 - $1 },
    zip("mul") { $0 * $1 },
    zip("maximum") { $0.isNaN || $1.isNaN ? .nan : max($0, $1) },
    zip("minimum") { $0.isNaN || $1.isNaN ? .nan : min($0, $1) },
    zip("pow", integers: integerPower) { pow($0, $1) },
    // Integer quotients truncate toward zero, as in C; a quotient by zero is 0 (docs/internals/decisions.md).
    zip("real_div", integers: { $1 == 0 ? 0 : $0 / $1 }, { $0 / $1 }),
    zip("floor_div", integers: floorQuotient) { floorQuotient($0, $1) },
    zip("mod", integers: { $1 == 0 ? 0 : $0 - floorQuotient($0, $1) * $1 }) { x, y in
      guard y != 0 else { return .nan }
      if y.isInfinite, x.isFinite { return x != 0 && (x < 0) != (y < 0) ? y : x }
      return x - (x / y).rounded(.down) * y
    },
    zip("equal") { $0 == $1 ? 1 : 0 },
    zip("not_equal") { $0 != $1 ? 1 : 0 },
    zip("greater") { $0 > $1 ? 1 : 0 },
    zip("greater_equal") { $0 >= $1 ? 1 : 0 },
    zip("less") { $0 < $1 ? 1 : 0 },
    zip("less_equal") { $0 <= $1 ? 1 : 0 },
    zip("logical_and") { $0 != 0 && $1 != 0 ? 1 : 0 },
    zip("logical_or") { $0 != 0 || $1 != 0 ? 1 : 0 },
    zip("logical_xor") { ($0 != 0) != ($1 != 0) ? 1 : 0 },
  ]

  /// - Parameter integers: the function if both operands are integers of at most 32 bits. Its result wraps to the
  ///   output's width.
  static func zip(
    _ name: String, integers: (@Sendable (Int, Int) -> Int)? = nil,
    _ function: @escaping @Sendable (Double, Double) -> Double
  ) -> Reference {
    Reference.numeric(name) { call in
      let shape = try call.outputSizes()
      let x = Broadcast(from: try call.sizes("x"), to: shape)
      let y = Broadcast(from: try call.sizes("y"), to: shape)
      let a = try call.doubles("x")
      let b = try call.doubles("y")
      let scalar = try call.outputType().scalar
      guard let integers, scalar.isInteger, scalar.bitWidth <= 32, try call.tensor("x").scalar.isInteger,
        try call.tensor("y").scalar.isInteger
      else { return try Indices(shape).map { function(a[x.offset($0)], b[y.offset($0)]) } }
      return try Indices(shape).map { place in
        wrapped(integers(Int(a[x.offset(place)]), Int(b[y.offset(place)])), to: scalar)
      }
    }
  }

  /// The low bits of an integer, as a value of the type.
  private static func wrapped(_ number: Int, to scalar: ScalarType) -> Double {
    guard let range = scalar.integerRange, scalar.bitWidth > 0 else { return Double(number) }
    let low = number & (1 << scalar.bitWidth - 1)
    return Double(low) > range.upperBound ? Double(low - 1 << scalar.bitWidth) : Double(low)
  }

  private static func floorQuotient(_ a: Int, _ b: Int) -> Int {
    guard b != 0 else { return 0 }
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0)
  }

  /// As in NumPy for infinities and zero.
  private static func floorQuotient(_ x: Double, _ y: Double) -> Double {
    if y == 0 { return x / y }
    if x.isInfinite { return .nan }
    if y.isInfinite { return x.isNaN ? x : x != 0 && (x < 0) != (y < 0) ? -1 : 0 }
    return (x / y).rounded(.down)
  }

  /// A negative power of anything but 1 and -1 is 0, also of 0, as in torch. Other results wrap.
  private static func integerPower(_ base: Int, _ exponent: Int) -> Int {
    guard exponent >= 0 else { return base == 1 ? 1 : base == -1 ? (exponent & 1 == 0 ? 1 : -1) : 0 }
    var (result, square, rest) = (1, base, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result &*= square }
      square &*= square
      rest >>= 1
    }
    return result
  }
}
