import CKernels

/// The costs of a Winograd convolution besides its products, fitted to measured layers of networks.
struct WinogradCost: Sendable {
  private let isTwice: Bool

  /// - Parameter multipliesTwice: whether the processor starts two 512-bit multiplications a cycle with caches no
  ///   faster than those of processors that start one. Everything but the products then costs twice as much relative to
  ///   them.
  init(multipliesTwice: Bool) { isTwice = multipliesTwice }

  /// For the instruction set in use.
  static var here: WinogradCost { WinogradCost(multipliesTwice: Blocks.size == 16 && processorMultipliesTwice) }

  private static let processorMultipliesTwice = ck_processor_multiplies_wide_twice()

  /// The vector products that one vector of a transform counts as.
  func transform(_ tile: Int) -> Double {
    guard isTwice else { return 13 }
    return tile == 6 ? 30 : tile == 4 ? 22 : 20
  }

  /// The operations that each filter element counts as when the filter is transformed on the fly. The element goes
  /// through L2.
  func kernel(_ tile: Int) -> Double {
    guard isTwice else { return 22 }
    return tile == 6 ? 40 : tile == 4 ? 24 : 46
  }

  /// The operations that each element counts as which the filter transform adds to the weights: it is read from memory.
  /// For large weights the charge is high enough that the planner prefers the on-the-fly transform when both take about
  /// as long. fp16 weights would grow to eight times their size or more; the on-the-fly transform keeps them fp16.
  func growth(_ numbers: Double, ofF16: Bool) -> Double {
    if isTwice { return ofF16 ? 800 : numbers < Double(1 << 20) ? 77 : 192 }
    return ofF16 ? 400 : numbers < Double(1 << 19) ? 16 : 96
  }
}
