import CKernels

/// Estimated costs of a Winograd convolution other than its products, fitted to measurements of network layers.
struct WinogradCost: Sendable {
  private let isTwice: Bool

  /// - Parameter multipliesTwice: whether the processor starts two 512-bit multiplications per cycle. Its caches are no
  ///   faster than those of a processor that starts one. So everything but the products costs about twice as much
  ///   relative to the products.
  init(multipliesTwice: Bool) { isTwice = multipliesTwice }

  /// The costs for this processor and the instruction set in use.
  static var here: WinogradCost { WinogradCost(multipliesTwice: Blocks.size == 16 && processorMultipliesTwice) }

  private static let processorMultipliesTwice = ck_processor_multiplies_wide_twice()

  /// The cost of transforming one vector of input or output (a block of channels at one element of a tile), in vector
  /// multiply-adds.
  func transform(_ tile: Int) -> Double {
    guard isTwice else { return 13 }
    return tile == 6 ? 30 : tile == 4 ? 22 : 20
  }

  /// The cost, in operations, of each element of a filter that is transformed on the fly. The transformed element
  /// passes through L2.
  func kernel(_ tile: Int) -> Double {
    guard isTwice else { return 22 }
    return tile == 6 ? 40 : tile == 4 ? 24 : 46
  }

  /// The cost, in operations, of each element that an ahead-of-time filter transform adds to the weights. Such elements
  /// are read from memory.
  ///
  /// For large weights the cost is set so high that the planner prefers the on-the-fly transform if both take about the
  /// same time. It is higher still for fp16 weights: they would become fp32 and grow to eight times their size or more,
  /// while the on-the-fly transform keeps them fp16.
  func growth(_ numbers: Double, ofF16: Bool) -> Double {
    if isTwice { return ofF16 ? 800 : numbers < Double(1 << 20) ? 77 : 192 }
    return ofF16 ? 400 : numbers < Double(1 << 19) ? 16 : 96
  }
}
