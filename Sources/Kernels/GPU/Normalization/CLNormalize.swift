/// Normalization of rows or channels: MIL's `layer_norm`, `instance_norm`, `l2_norm` and `batch_norm`, and RMS norm.
package struct CLNormalize: Sendable {
  /// What is normalized, and what each factor (gamma) and offset (beta) applies to.
  package enum Kind: Sendable, Hashable {
    /// Each of `rows` rows of `count` elements to mean 0 and variance 1. One factor for each position in a row.
    case layer(rows: Int, count: Int)
    /// Each channel of each image, of `count` elements, to mean 0 and variance 1. One factor for each channel.
    case instance(images: Int, channels: Int, count: Int)
    /// Each of `rows` rows of `count` elements divided by the square root of its sum of squares plus epsilon. No
    /// factors.
    case l2(rows: Int, count: Int)
    /// Each of `rows` rows of `count` elements divided by the square root of its mean square plus epsilon. One factor
    /// for each position in a row.
    case rootMeanSquare(rows: Int, count: Int)
    /// `[image][channel][count]` by a mean and a variance for each channel. One factor for each channel.
    case batch(images: Int, channels: Int, count: Int)
  }

  /// The tensors that the kernel takes besides `x` and `y`.
  private enum Form {
    case plain
    /// Gamma only.
    case factored
    /// Gamma and beta.
    case scaled
    /// Mean and variance, then gamma and beta.
    case batch
  }

  private let launch: OpenCLLaunch
  private let form: Form
  private let hasGamma: Bool
  private let hasBeta: Bool

  /// The greatest number of row elements that a warp keeps in its registers, and the elements that it reads at a time.
  private static let warpRow = (most: 2048, chunk: 256)

  package init(
    _ context: OpenCLContext, _ kind: Kind, epsilon: Float, hasGamma: Bool = false, hasBeta: Bool = false,
    f16: F16Operands = .none
  ) throws {
    // The probe of warp attention has verified that warps exchange values correctly.
    let warps = context.features.warps(for: .attention)
    try self.init(
      context, kind, epsilon: epsilon, hasGamma: hasGamma, hasBeta: hasBeta, f16: f16,
      warps: warps == .ptx ? warps : nil)
  }

  /// Uses one warp for each row if `warps` is given and rows are short and multiples of the chunk. Otherwise one
  /// work-group.
  init(
    _ context: OpenCLContext, _ kind: Kind, epsilon: Float, hasGamma: Bool, hasBeta: Bool, f16: F16Operands,
    warps: CLWarps?
  ) throws {
    let (rows, length, factors, name): (Int, Int, Int, String) =
      switch kind {
      case .layer(let rows, let count): (rows, count, count, "normalize_rows")
      case .instance(let images, let channels, let count):
        (try CLSizes.count([images, channels], "instance_norm"), count, channels, "normalize_rows")
      case .l2(let rows, let count): (rows, count, 0, "l2_rows")
      case .rootMeanSquare(let rows, let count): (rows, count, count, "rms_rows")
      case .batch(let images, let channels, let count):
        (try CLSizes.count([images, channels], "batch_norm"), count, channels, "batch_norm")
      }
    switch kind {
    case .l2 where hasGamma || hasBeta: throw KernelError(.openCLLaunch, "l2_norm: factors are given, it has none")
    case .rootMeanSquare where hasBeta: throw KernelError(.openCLLaunch, "rms_norm: offsets are given, it has none")
    default: break
    }
    (self.hasGamma, self.hasBeta) = (hasGamma, hasBeta)
    let count = try CLSizes.count([rows, length], name)
    let index = CLSizes(count)
    let group = CLAlong.group(context.device, length)
    var definitions = [
      "INDEX": index.definition, "GROUP": "\(group)", "GAMMA": hasGamma ? "1" : "0", "BETA": hasBeta ? "1" : "0",
    ].merging(f16.definitions) { $1 }
    if case .instance = kind { definitions["BY_ROW"] = "1" }
    let isByWarps = warps != nil && name == "normalize_rows" && length % 8 == 0 && 1...Self.warpRow.most ~= length
    if isByWarps { definitions["CHUNKS"] = "\((length + Self.warpRow.chunk - 1) / Self.warpRow.chunk)" }
    let source = isByWarps ? try warps?.source("warp_norm", for: name) : nil
    let kernel = try context.kernel(name, of: source ?? .embedded("norm"), definitions)
    let x = f16.numbers("x", count, .first)
    let y = f16.numbers("y", count, .result)
    let gammaAndBeta = [
      OpenCLParameter.floats("gamma", hasGamma ? factors : 0), .floats("beta", hasBeta ? factors : 0),
    ]
    let (last, long, each) = (OpenCLParameter.float(epsilon), index.one(length), index.one(max(factors, 1)))
    let groups = count == 0 ? 0 : rows * group
    switch kind {
    case .layer, .instance:
      form = .scaled
      if isByWarps {
        launch = try kernel.launch(
          [x] + gammaAndBeta + [y, long, each, index.one(rows), last], global: [(rows + 3) / 4 * 128], local: [128])
        break
      }
      launch = try kernel.launch([x] + gammaAndBeta + [y, long, each, last], global: [groups], local: [group])
    case .l2:
      form = .plain
      launch = try kernel.launch([x, y, long, last], global: [groups], local: [group])
    case .rootMeanSquare:
      form = .factored
      launch = try kernel.launch([x, gammaAndBeta[0], y, long, last], global: [groups], local: [group])
    case .batch:
      form = .batch
      let size = CLElements(count, kernel)
      let statistics = [OpenCLParameter.floats("mean", factors), .floats("variance", factors)]
      launch = try kernel.launch(
        [x] + statistics + gammaAndBeta + [y, index.one(count), each, index.one(max(length, 1)), last],
        global: [size.global], local: [size.local])
    }
  }

  /// `x` and `y` may be the same memory if they have the same element size. `mean` and `variance` are for batch
  /// normalization only.
  package func enqueue(
    on queue: OpenCLQueue, x: OpenCLMemory, mean: OpenCLMemory? = nil, variance: OpenCLMemory? = nil,
    gamma: OpenCLMemory? = nil, beta: OpenCLMemory? = nil, y: OpenCLMemory
  ) throws {
    guard (gamma != nil) == hasGamma, (beta != nil) == hasBeta else {
      throw KernelError(.openCLLaunch, "norm: gamma or beta is missing, or not expected")
    }
    // Absent operands get the whole buffer of `x`. Its offset 0 passes the alignment check for fp32; `x` itself may
    // not.
    let none = x.buffer.memory
    switch form {
    case .plain: try launch.enqueue(on: queue, x, y)
    case .factored: try launch.enqueue(on: queue, x, gamma ?? none, y)
    case .scaled: try launch.enqueue(on: queue, x, gamma ?? none, beta ?? none, y)
    case .batch:
      guard let mean, let variance else {
        throw KernelError(.openCLLaunch, "batch_norm: the mean or the variance is missing")
      }
      try launch.enqueue(on: queue, x, mean, variance, gamma ?? none, beta ?? none, y)
    }
  }
}
