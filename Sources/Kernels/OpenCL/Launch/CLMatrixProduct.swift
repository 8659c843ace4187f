/// `C = then(A B + bias)`, a batch of products of row-major matrices: MIL's `matmul` and `linear`, and convolutions whose
/// kernel is one pixel.
///
/// Which kernel computes it is chosen by the shape: few rows read B once (`vector.cl`), everything else goes through tiles
/// in local memory (`tile.cl`).
public struct CLMatrixProduct: Sendable {
  public enum Bias: Int, Sendable {
    case none
    /// One number for each row of C.
    case rows
    /// One number for each column of C.
    case columns
  }

  /// Products side by side: the sizes of up to four dimensions, and how many elements lie between neighbours in them for
  /// each operand (0 where it repeats). C is packed.
  public struct Batch: Sendable, Hashable {
    public var sizes: [Int]
    public var a: [Int]
    public var b: [Int]
    public var bias: [Int]

    public init(sizes: [Int] = [], a: [Int] = [], b: [Int] = [], bias: [Int]? = nil) {
      self.sizes = sizes
      self.a = a
      self.b = b
      self.bias = bias ?? sizes.map { _ in 0 }
    }

    /// Leading dimensions of two tensors of matrices, broadcast against each other as MIL's `matmul` does. `matrixA` and
    /// `matrixB` are the elements of one matrix.
    public init(a: [Int], matrixA: Int, b: [Int], matrixB: Int, output: [Int]) throws {
      let strides = [
        try CLWalk.broadcast(a, to: output, "matmul").map { $0 &* matrixA },
        try CLWalk.broadcast(b, to: output, "matmul").map { $0 &* matrixB },
      ]
      let walk = CLWalk(output, strides)
      self.init(sizes: walk.sizes, a: walk.strides[0], b: walk.strides[1])
    }
  }

  private let kernel: OpenCLKernel
  private let product: [OpenCLArgument]
  private let size: (global: [Int], local: [Int])
  private let counts: (a: Int, b: Int, bias: Int, c: Int)
  private let bias: Bias
  private let then: CLFunction
  /// Whether the kernel takes B as its first factor.
  private let isSwapped: Bool

  /// `a` is `m` by `k` (`k` by `m` when `transposeA`), `b` is `k` by `n` (`n` by `k` when `transposeB`).
  public init(
    _ context: OpenCLContext, m: Int, n: Int, k: Int, transposeA: Bool = false, transposeB: Bool = false,
    batch: Batch = Batch(), bias: Bias = .none, then: CLFunction = .identity
  ) throws {
    try self.init(
      context, m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB, batch: batch, bias: bias, then: then,
      tile: nil)
  }

  /// `tile` is the one to use instead of what the device and the shape suggest.
  init(
    _ context: OpenCLContext, m: Int, n: Int, k: Int, transposeA: Bool, transposeB: Bool, batch: Batch, bias: Bias,
    then: CLFunction, tile: CLTile?
  ) throws {
    let batches = try CLSizes.count(batch.sizes, "matmul")
    let rank = batch.sizes.count
    guard rank <= 4, [batch.a, batch.b, batch.bias].allSatisfy({ $0.count == rank && $0.allSatisfy { $0 >= 0 } })
    else { throw KernelError(.openCLLaunch, "matmul: a batch of \(batch.sizes), at most four dimensions are taken") }
    counts = (
      try Self.extent(batch.sizes, batch.a, [m, k]), try Self.extent(batch.sizes, batch.b, [k, n]),
      try Self.extent(batch.sizes, batch.bias, [bias == .rows ? m : bias == .columns ? n : 0]),
      try CLSizes.count([batches, m, n], "matmul")
    )
    self.bias = bias
    self.then = then

    // A product with one column is one with one row of the factors swapped.
    isSwapped = tile == nil && n == 1 && m > 1 && batch.bias.allSatisfy { $0 == 0 } && bias != .columns
    let (rows, columns) = isSwapped ? (n, m) : (m, n)
    let firstIsPlain = isSwapped || !transposeA || m == 1
    let secondIsTransposed = isSwapped ? !transposeA : transposeB
    let rowBias = isSwapped ? bias == .columns : bias == .rows
    let isVector = tile == nil && rows <= 4 && firstIsPlain && !rowBias && batch.bias.allSatisfy { $0 == 0 }
    let first = isSwapped ? batch.b : batch.a
    let second = isSwapped ? batch.a : batch.b
    var definitions = ["THEN": then.symbol]
    if isVector {
      let pad = [Int](repeating: 1, count: 4 - rank)
      let zero = [Int](repeating: 0, count: 4 - rank)
      let fields = [rows, columns, k, batches] + pad + batch.sizes + zero + first + zero + second
      product = [.longs(fields.map { Int64($0) })]
      let group = min(Self.powerOfTwo(context.device.maxWorkGroupSize), k >= 1024 ? 256 : 64)
      definitions["GROUP"] = "\(group)"
      definitions["BIAS"] = bias == .none ? "0" : "1"
      let groups = [min(rows, 65_535), min(batches, 65_535)]
      if secondIsTransposed {
        kernel = try context.kernel("product_rows", of: "vector", definitions)
        size = ([columns * group] + groups, [group, 1, 1])
      } else {
        guard group >= 32 else {
          throw KernelError(.openCLLaunch, "matmul: the device's work-groups have fewer than 32 work-items")
        }
        kernel = try context.kernel("product_columns", of: "vector", definitions)
        size = ([columns, groups[0] * (group / 32), groups[1]], [32, group / 32, 1])
      }
    } else {
      let tile = try tile ?? CLTile(context.device, m: m, n: n, batches: batches)
      let index = try CLSizes(CLSizes.count([m, k], "matmul"), CLSizes.count([k, n], "matmul"), counts.c)
      product = CLTile.arguments(index, m: m, n: n, k: k, batch)
      definitions["INDEX"] = index.definition
      definitions.merge(tile.definitions) { $1 }
      definitions["BIAS"] = "\(bias.rawValue)"
      definitions["TRANSPOSE_A"] = transposeA ? "1" : "0"
      definitions["TRANSPOSE_B"] = transposeB ? "1" : "0"
      kernel = try context.kernel("product", of: "tile", definitions)
      size = try tile.sizes(m: m, n: n, batches: batches)
    }
  }

  /// `a`, `b` and `c` hold their matrices, `bias` its numbers (anything when there is none, such as `a`).
  public func enqueue(
    on queue: OpenCLQueue, a: OpenCLMemory, b: OpenCLMemory, bias: OpenCLMemory? = nil, c: OpenCLMemory
  ) throws {
    try a.require(counts.a, of: 4, "matmul: a")
    try b.require(counts.b, of: 4, "matmul: b")
    try c.require(counts.c, of: 4, "matmul: c")
    guard (bias != nil) == (self.bias != .none) else {
      throw KernelError(.openCLLaunch, "matmul: a bias is \(bias == nil ? "missing" : "given, none is expected")")
    }
    try bias?.require(counts.bias, of: 4, "matmul: bias")
    guard counts.c > 0 else { return }
    try kernel.enqueue(
      on: queue,
      [
        .floats(isSwapped ? b : a), .floats(isSwapped ? a : b), .floats(bias ?? a), .floats(c),
      ] + product + [.float(then.alpha), .float(then.beta)], global: size.global, local: size.local)
  }

  /// Elements from the first to behind the last one of a batch of matrices.
  private static func extent(_ sizes: [Int], _ strides: [Int], _ matrix: [Int]) throws -> Int {
    var extent = try CLSizes.count(matrix, "matmul")
    guard extent > 0, !sizes.contains(0) else { return 0 }
    for (size, stride) in zip(sizes, strides) {
      let (reach, overflow) = stride.multipliedReportingOverflow(by: size - 1)
      guard !overflow, reach <= 1 << 48 else {
        throw KernelError(.openCLLaunch, "matmul: a batch of \(sizes) with strides \(strides)")
      }
      extent += reach
    }
    return extent
  }

  static func powerOfTwo(_ limit: Int) -> Int {
    var power = 1
    while power * 2 <= limit { power *= 2 }
    return power
  }
}
