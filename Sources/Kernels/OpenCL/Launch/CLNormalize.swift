/// Normalisation of rows or channels: MIL's `layer_norm`, `instance_norm`, `l2_norm` and `batch_norm`.
public struct CLNormalize: Sendable {
  /// What is normalised, and what a factor (gamma) and an offset (beta) belong to.
  public enum Kind: Sendable, Hashable {
    /// Each of `rows` rows of `count` numbers to mean 0 and variance 1; one factor for each place in a row.
    case layer(rows: Int, count: Int)
    /// Each channel of each image, of `count` numbers, to mean 0 and variance 1; one factor a channel.
    case instance(images: Int, channels: Int, count: Int)
    /// Each of `rows` rows of `count` numbers divided by the root of its sum of squares and epsilon; no factors.
    case l2(rows: Int, count: Int)
    /// `[image][channel][count]` by a mean and a variance of each channel; one factor a channel.
    case batch(images: Int, channels: Int, count: Int)
  }

  private let kernel: OpenCLKernel
  private let kind: Kind
  private let count: Int
  private let factors: Int
  private let rows: Int
  private let group: Int
  private let epsilon: Float
  private let hasGamma: Bool
  private let hasBeta: Bool
  private let index: CLSizes

  public init(
    _ context: OpenCLContext, _ kind: Kind, epsilon: Float, hasGamma: Bool = false, hasBeta: Bool = false
  ) throws {
    let (rows, length, factors, name): (Int, Int, Int, String) =
      switch kind {
      case .layer(let rows, let count): (rows, count, count, "normalize_rows")
      case .instance(let images, let channels, let count):
        (try CLSizes.count([images, channels], "instance_norm"), count, channels, "normalize_rows")
      case .l2(let rows, let count): (rows, count, 0, "l2_rows")
      case .batch(let images, let channels, let count):
        (try CLSizes.count([images, channels], "batch_norm"), count, channels, "batch_norm")
      }
    if case .l2 = kind, hasGamma || hasBeta {
      throw KernelError(.openCLLaunch, "l2_norm: factors are given, it has none")
    }
    self.kind = kind
    (self.rows, self.factors, self.epsilon) = (rows, try CLSizes.count([factors], name), epsilon)
    (self.hasGamma, self.hasBeta) = (hasGamma, hasBeta)
    count = try CLSizes.count([rows, length], name)
    index = CLSizes(count)
    group = CLAlong.group(context.device, length)
    var definitions = [
      "INDEX": index.definition, "GROUP": "\(group)", "GAMMA": hasGamma ? "1" : "0", "BETA": hasBeta ? "1" : "0",
    ]
    if case .instance = kind { definitions["BY_ROW"] = "1" }
    kernel = try context.kernel(name, of: "norm", definitions)
  }

  /// `x` and `y` may be the same memory. `mean` and `variance` are those of a batch normalisation.
  public func enqueue(
    on queue: OpenCLQueue, x: OpenCLMemory, mean: OpenCLMemory? = nil, variance: OpenCLMemory? = nil,
    gamma: OpenCLMemory? = nil, beta: OpenCLMemory? = nil, y: OpenCLMemory
  ) throws {
    try x.require(count, of: 4, "norm: x")
    try y.require(count, of: 4, "norm: y")
    guard (gamma != nil) == hasGamma, (beta != nil) == hasBeta else {
      throw KernelError(.openCLLaunch, "norm: gamma or beta is missing, or not expected")
    }
    try gamma?.require(factors, of: 4, "norm: gamma")
    try beta?.require(factors, of: 4, "norm: beta")
    guard count > 0 else { return }
    let length = index.one(count / rows)
    switch kind {
    case .layer, .instance:
      try kernel.enqueue(
        on: queue,
        [
          .floats(x), .floats(gamma ?? x), .floats(beta ?? x), .floats(y), length, index.one(max(factors, 1)),
          .float(epsilon),
        ], global: [rows * group], local: [group])
    case .l2:
      try kernel.enqueue(
        on: queue, [.floats(x), .floats(y), length, .float(epsilon)], global: [rows * group], local: [group])
    case .batch:
      guard let mean, let variance else {
        throw KernelError(.openCLLaunch, "batch_norm: the mean or the variance is missing")
      }
      try mean.require(factors, of: 4, "batch_norm: mean")
      try variance.require(factors, of: 4, "batch_norm: variance")
      let size = CLElements(count, kernel)
      try kernel.enqueue(
        on: queue,
        [
          .floats(x), .floats(mean), .floats(variance), .floats(gamma ?? x), .floats(beta ?? x), .floats(y),
          index.one(count), index.one(max(factors, 1)), length, .float(epsilon),
        ], global: [size.global], local: [size.local])
    }
  }
}
