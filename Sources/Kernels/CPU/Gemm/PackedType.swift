import CKernels

/// What packed weights are.
enum PackedType: Sendable {
  case floats
  /// For weights that are nothing else.
  case f16
  /// Pairs of brain floating point: two numbers that lie one after the other along a sum.
  case pairs
  /// Fours of whole numbers of eight bits, which lie one after the other along a sum.
  case fours

  /// What an instruction that multiplies them takes, in those of floats.
  var multiplication: Double { self == .pairs && Self.isBF16DotSlow ? 4 : 1 }

  private static let isBF16DotSlow = ck_processor_bf16_dot_is_slow()

  /// Bytes of one.
  var width: Int { self == .f16 ? 2 : 4 }

  /// What the names of layouts end with.
  var suffix: String {
    switch self {
    case .floats: ""
    case .f16: ".half"
    case .pairs: ".pair"
    case .fours: ".four"
    }
  }

  /// How many of them `depth` numbers are along a sum.
  func count(_ depth: Int) -> Int {
    switch self {
    case .floats, .f16: depth
    case .pairs: (depth + 1) / 2
    case .fours: (depth + 3) / 4
    }
  }

  /// The numbers along a sum of `depth` of them that these places have.
  func numbers(in places: Range<Int>, of depth: Int) -> Range<Int> {
    let each = self == .pairs ? 2 : self == .fours ? 4 : 1
    return places.lowerBound * each..<min(places.upperBound * each, depth)
  }

  /// Refuses low precision where nobody allows it, where the processor has nothing for it, and where sums are short.
  static func requireBF16Dot(_ problem: KernelProblem, depth: Int) throws {
    guard problem.allowsLowPrecision else { throw Refusal("low precision is not allowed") }
    guard ck_low_precision_supported() else { throw Refusal("the processor has no products of brain floating point") }
    guard depth >= 32 else { throw Refusal("sums of a few products") }
  }
}
