import CKernels

/// What Winograd's way costs beside its products, fitted to what layers of networks take.
struct WinogradCost: Sendable {
  private let isTwice: Bool

  /// Processors that multiply twice as fast as others with caches of the same rate have half as much for the rest.
  init(multipliesTwice: Bool) { isTwice = multipliesTwice }

  /// With the instructions in use.
  static var here: WinogradCost { WinogradCost(multipliesTwice: Blocks.size == 16 && processorMultipliesTwice) }

  private static let processorMultipliesTwice = ck_processor_multiplies_wide_twice()

  /// The products of vectors that a vector of a transform counts as.
  func transform(_ tile: Int) -> Double {
    guard isTwice else { return 13 }
    return tile == 6 ? 30 : tile == 4 ? 22 : 20
  }

  /// The operations that a number of a kernel counts as which is transformed each time: it goes through the second-level cache.
  func kernel(_ tile: Int) -> Double {
    guard isTwice else { return 22 }
    return tile == 6 ? 40 : tile == 4 ? 24 : 46
  }

  /// The operations that a number counts as by which the weights grow, which come from memory. Where it is no longer little, so many that
  /// transforming kernels late is preferred where that takes about as long. Halves would grow to eight times what they are and more, and stay
  /// halves where they are transformed late.
  func growth(_ numbers: Double, ofF16: Bool) -> Double {
    if isTwice { return ofF16 ? 800 : numbers < Double(1 << 20) ? 77 : 192 }
    return ofF16 ? 400 : numbers < Double(1 << 19) ? 16 : 96
  }
}
