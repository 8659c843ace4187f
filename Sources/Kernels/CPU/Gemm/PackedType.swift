import CKernels

/// The element type of packed weights.
enum PackedType: Sendable {
  case floats
  /// Only for weights that fp16 holds exactly.
  case f16
  /// bf16 pairs: two elements that are adjacent along K share a 32-bit lane.
  case bf16
  /// Groups of four int8 values that are adjacent along K, in a 32-bit lane.
  case int8

  /// The time of a multiply instruction, relative to the fp32 instruction.
  var multiplication: Double { self == .bf16 && Self.isBF16DotSlow ? 4 : 1 }

  private static let isBF16DotSlow = ck_processor_bf16_dot_is_slow()

  /// Bytes of a packed lane: one fp32 or fp16 element, a bf16 pair, or four int8 values.
  var width: Int { self == .f16 ? 2 : 4 }

  /// Suffix of the layout's name.
  var suffix: String {
    switch self {
    case .floats: ""
    case .f16: ".half"
    case .bf16: ".pair"
    case .int8: ".four"
    }
  }

  /// How many lanes `depth` elements along K take.
  func count(_ depth: Int) -> Int {
    switch self {
    case .floats, .f16: depth
    case .bf16: (depth + 1) / 2
    case .int8: (depth + 3) / 4
    }
  }

  /// The elements along K, of `depth` in total, that these lanes hold.
  func numbers(in places: Range<Int>, of depth: Int) -> Range<Int> {
    let each = self == .bf16 ? 2 : self == .int8 ? 4 : 1
    return places.lowerBound * each..<min(places.upperBound * each, depth)
  }

  /// Refuses bf16 if the problem does not allow low precision, the processor does not support it, or K is small.
  static func requireBF16Dot(_ problem: KernelProblem, depth: Int) throws {
    guard problem.allowsLowPrecision else { throw Refusal("low precision is not allowed") }
    guard ck_low_precision_supported() else { throw Refusal("the processor has no bf16 dot products") }
    guard depth >= 32 else { throw Refusal("the inner dimension is less than 32") }
  }
}
