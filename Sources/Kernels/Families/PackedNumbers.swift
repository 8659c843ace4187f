import CKernels

/// What packed weights are.
enum PackedNumbers: Sendable {
  case floats
  /// For weights that are nothing else.
  case halves
  /// Pairs of brain floating point: two numbers that lie one after the other along a sum.
  case pairs
  /// Fours of whole numbers of eight bits, which lie one after the other along a sum.
  case fours

  /// What an instruction that multiplies them takes, in those of floats.
  var multiplication: Double { self == .pairs && Self.pairsAreSlow ? 4 : 1 }

  private static let pairsAreSlow = ck_processor_multiplies_pairs_slowly()

  /// Bytes of one.
  var width: Int { self == .halves ? 2 : 4 }

  /// What the names of layouts end with.
  var suffix: String {
    switch self {
    case .floats: ""
    case .halves: ".half"
    case .pairs: ".pair"
    case .fours: ".four"
    }
  }

  /// How many of them `depth` numbers are along a sum.
  func count(_ depth: Int) -> Int {
    switch self {
    case .floats, .halves: depth
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
  static func requirePairs(_ site: Site, depth: Int) throws {
    guard site.allowsLowPrecision else { throw Refusal("low precision is not allowed") }
    guard ck_low_precision_supported() else { throw Refusal("the processor has no products of brain floating point") }
    guard depth >= 32 else { throw Refusal("sums of a few products") }
  }
}
