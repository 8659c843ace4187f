/// MIL's `softmax` along the middle dimension of `[outer][axis][inner]`.
package struct CLSoftmax: Sendable {
  private let along: CLAlong

  package init(_ context: OpenCLContext, outer: Int, axis: Int, inner: Int, f16: F16Operands = .none) throws {
    let count = try CLSizes.count([outer, axis, inner], "softmax")
    along = try CLAlong(
      context, "softmax", of: "softmax", f16.definitions, outer: outer, axis: axis, inner: inner,
      memory: [f16.numbers("x", count, .first), f16.numbers("y", count, .result)])
  }

  /// `x` and `y` may be the same memory if they have the same element size.
  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    guard along.axis > 0 else { return }
    try along.enqueue(on: queue, x, y)
  }
}

/// MIL's `reduce_*` along the middle dimension of `[outer][axis][inner]`: `y` is `[outer][inner]`.
package struct CLReduce: Sendable {
  /// The suffix of the operation's name after `reduce_`.
  package enum Kind: String, Sendable, CaseIterable {
    case sum, mean, max, min, prod
    case l1Norm = "l1_norm"
    case l2Norm = "l2_norm"
    case sumSquare = "sum_square"
    case logSum = "log_sum"
    case logSumExp = "log_sum_exp"

    fileprivate var definitions: [String: String] {
      let (start, map, fold, end) =
        switch self {
        case .sum: ("0.0f", "identity", "add", "identity")
        case .mean: ("0.0f", "identity", "add", "mean")
        case .max: ("-INFINITY", "identity", "max", "identity")
        case .min: ("INFINITY", "identity", "min", "identity")
        case .prod: ("1.0f", "identity", "multiply", "identity")
        case .l1Norm: ("0.0f", "abs", "add", "identity")
        case .l2Norm: ("0.0f", "square", "add", "sqrt")
        case .sumSquare: ("0.0f", "square", "add", "identity")
        case .logSum: ("0.0f", "identity", "add", "log")
        case .logSumExp: ("0.0f", "exp", "add", "log")
        }
      return [
        "START": start, "MAP": "map_\(map)", "FOLD": "fold_\(fold)", "END": "end_\(end)",
        "SHIFT": self == .logSumExp ? "1" : "0",
      ]
    }
  }

  private let along: CLAlong

  package init(
    _ context: OpenCLContext, _ kind: Kind, outer: Int, axis: Int, inner: Int, f16: F16Operands = .none
  ) throws {
    let columns = try CLSizes.count([outer, inner], "reduce")
    let count = try CLSizes.count([columns, axis], "reduce")
    along = try CLAlong(
      context, "reduce", of: "reduce", kind.definitions.merging(f16.definitions) { $1 }, outer: outer, axis: axis,
      inner: inner, memory: [f16.numbers("x", count, .first), f16.numbers("y", columns, .result)])
  }

  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try along.enqueue(on: queue, x, y)
  }
}

/// MIL's `reduce_argmax` and `reduce_argmin` along the middle dimension of `[outer][axis][inner]`. `y` is
/// `[outer][inner]` of `int`. Of equal elements the first wins.
package struct CLArg: Sendable {
  private let along: CLAlong

  package init(
    _ context: OpenCLContext, isMax: Bool, outer: Int, axis: Int, inner: Int, f16: F16Operands = .none
  ) throws {
    guard (1...(1 << 30)).contains(axis) else {
      throw KernelError(.openCLLaunch, "argmax: an axis of \(axis)")
    }
    let columns = try CLSizes.count([outer, inner], "argmax")
    along = try CLAlong(
      context, "arg", of: "arg", ["SIGN": isMax ? "1" : "-1", "HALF_X": f16.flag(.first)], outer: outer, axis: axis,
      inner: inner,
      memory: [f16.numbers("x", try CLSizes.count([columns, axis], "argmax"), .first), .floats("y", columns)])
  }

  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try along.enqueue(on: queue, x, y)
  }
}

/// MIL's `cumsum` along the middle dimension of `[outer][axis][inner]`.
package struct CLScan: Sendable {
  private let along: CLAlong

  package init(
    _ context: OpenCLContext, outer: Int, axis: Int, inner: Int, isExclusive: Bool = false, isReversed: Bool = false,
    f16: F16Operands = .none
  ) throws {
    let count = try CLSizes.count([outer, axis, inner], "cumsum")
    let definitions = ["EXCLUSIVE": isExclusive ? "1" : "0", "REVERSED": isReversed ? "1" : "0"]
    along = try CLAlong(
      context, "scan", of: "scan", definitions.merging(f16.definitions) { $1 }, outer: outer, axis: axis,
      inner: inner, memory: [f16.numbers("x", count, .first), f16.numbers("y", count, .result)])
  }

  /// `x` and `y` may be the same memory if they have the same element size.
  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    guard along.axis > 0 else { return }
    try along.enqueue(on: queue, x, y)
  }
}
