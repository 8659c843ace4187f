/// MIL's `quantize` and `dequantize` of `[outer][entries][inner]`, with a scale and a zero point for all elements or
/// for each entry.
struct CLQuantize: Sendable {
  enum Direction: String, Sendable {
    case quantize
    case dequantize
  }

  /// The layout of the elements.
  struct Shape: Sendable, Hashable {
    var count: Int
    var entries: Int
    var inner: Int
    /// The number of scales and zero points: 1, or one for each entry, or 0 if absent.
    var scales: Int
    var zeros: Int
  }

  private let launch: OpenCLLaunch

  /// - Parameters:
  ///   - isSigned: whether the quantized values are int8; otherwise uint8.
  ///   - hasSignedZeros: whether the zero points are int8; otherwise uint8.
  init(
    _ context: OpenCLContext, _ direction: Direction, _ shape: Shape, isSigned: Bool, hasSignedZeros: Bool
  ) throws {
    let count = try CLSizes.count([shape.count], direction.rawValue)
    guard shape.entries > 0, [1, shape.entries].contains(shape.scales), [0, 1, shape.entries].contains(shape.zeros)
    else {
      throw KernelError(.openCLLaunch, "\(direction.rawValue): \(shape.scales) scales for \(shape.entries) entries")
    }
    let index = CLSizes(count, shape.entries)
    let integers = direction == .quantize ? 1 : 4
    launch = try context.each(
      direction.rawValue, of: "quantize",
      [
        "Q": isSigned ? "char" : "uchar", "ZERO": shape.zeros > 0 ? "1" : "0",
        "ZERO_TYPE": hasSignedZeros ? "char" : "uchar",
      ], index, count: count,
      [
        .memory("input", count: count, size: 5 - integers), .floats("scale", shape.scales),
        .memory("zero_point", count: shape.zeros, size: 1), .memory("y", count: count, size: integers),
        index.many([shape.entries, max(shape.inner, 1), shape.scales > 1 ? 1 : 0, shape.zeros > 1 ? 1 : 0]),
        index.one(count),
      ])
  }

  func enqueue(
    on queue: OpenCLQueue, input: OpenCLMemory, scale: OpenCLMemory, zero: OpenCLMemory?, y: OpenCLMemory
  ) throws {
    try launch.enqueue(on: queue, input, scale, zero ?? scale, y)
  }
}
