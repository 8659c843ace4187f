/// MIL's `max_pool`, `avg_pool` and `l2_pool` in one or two dimensions, on images `[plane][row][column]`. The planes
/// are images times channels.
package struct CLPool: Sendable {
  package enum Mode: Sendable, Hashable {
    /// The maximum. Negative infinity if a window covers no pixel.
    case max
    /// The mean over the window's pixels, or over all of its positions if padding counts as zeros.
    case average(countsPadding: Bool)
    /// The square root of the sum of squares.
    case l2
  }

  private let launch: OpenCLLaunch

  package init(_ context: OpenCLContext, _ mode: Mode, planes: Int, window: CLWindow, f16: F16Operands = .none) throws {
    let counts = (
      x: try CLSizes.count([planes, window.inputArea], "pool"),
      y: try CLSizes.count([planes, window.outputArea], "pool")
    )
    guard planes <= 1 << 30, window.kernel[0] * window.kernel[1] <= 1 << 30 else {
      throw KernelError(.openCLLaunch, "pool: \(planes) planes with a window of \(window.kernel) are too many")
    }
    let number = mode == .max ? 0 : mode == .l2 ? 2 : 1
    let padding = mode == .average(countsPadding: true) ? 1 : 0
    let fields =
      [planes] + window.input + window.output + window.kernel + window.strides + window.dilations + window.padding
      + [padding]
    let kernel = try context.kernel(
      "pool", of: .embedded("pool"), f16.definitions.merging(["MODE": "\(number)"]) { $1 })
    // Small images share a work-group among several planes.
    let width = min(CLMatrixProduct.powerOfTwo(max(window.outputArea, 1)), 128, kernel.maxWorkGroupSize)
    let height = min(128 / width, kernel.maxWorkGroupSize / width, 8)
    launch = try kernel.launch(
      [
        f16.numbers("x", counts.x, .first), f16.numbers("y", counts.y, .result),
        .ints(fields.map { Int32(clamping: $0) }),
      ],
      global: [window.outputArea, min(planes, 65_535)], local: [width, max(height, 1)])
  }

  /// `x` and `y` hold all planes.
  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y)
  }
}
