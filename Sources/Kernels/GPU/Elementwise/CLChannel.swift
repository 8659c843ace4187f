/// MIL's `local_response_norm` of `[outer][channels][inner]`.
struct CLLocalResponseNorm: Sendable {
  private let launch: OpenCLLaunch

  /// - Parameter size: channels in the window around each channel.
  init(
    _ context: OpenCLContext, outer: Int, channels: Int, inner: Int, size: Int, alpha: Float, beta: Float, k: Float,
    f16: F16Operands = .none
  ) throws {
    guard size >= 1 else { throw KernelError(.openCLLaunch, "local_response_norm: \(size) channels") }
    let count = try CLSizes.count([outer, channels, inner], "local_response_norm")
    let index = CLSizes(count)
    launch = try context.each(
      "local_response_norm", of: "channel", f16.definitions, index, count: count,
      [f16.numbers("x", count, .first), f16.numbers("y", count, .result)]
        + [index.one(max(channels, 1)), index.one(max(inner, 1))]
        // A window of twice the channels contains all of them.
        + [index.one(min(size, 2 * channels + 2)), .float(alpha / Float(size)), .float(beta), .float(k)]
        + [index.one(count)])
  }

  func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws { try launch.enqueue(on: queue, x, y) }
}

/// `y = function(x)` on `[outer][channels][inner]`. The parameters are tensors with one element for each channel.
struct CLPerChannel: Sendable {
  private let launch: OpenCLLaunch

  /// The parameters of `function` itself are ignored.
  init(
    _ context: OpenCLContext, _ function: CLFunction, outer: Int, channels: Int, inner: Int, f16: F16Operands = .none
  ) throws {
    let count = try CLSizes.count([outer, channels, inner], function.name)
    let index = CLSizes(count)
    launch = try context.each(
      "per_channel", of: "channel", f16.definitions.merging(["FUNCTION": function.symbol]) { $1 }, index,
      count: count,
      [f16.numbers("x", count, .first), .floats("alpha", channels), .floats("beta", channels)]
        + [f16.numbers("y", count, .result)]
        + [index.one(max(channels, 1)), index.one(max(inner, 1)), index.one(count)])
  }

  /// `x` and `y` may be the same memory if they have the same element size.
  func enqueue(
    on queue: OpenCLQueue, x: OpenCLMemory, alpha: OpenCLMemory, beta: OpenCLMemory, y: OpenCLMemory
  ) throws {
    try launch.enqueue(on: queue, x, alpha, beta, y)
  }
}
