import Synchronization

/// `C = then(A B + bias + add)` as in `CLMatrixProduct`, and convolutions as such products, on a GPU's matrix units
/// (`warp_product.cl`). Accumulators are fp32, in which products of fp16 values, and of values with 11 significant
/// bits, are exact. With a `CLGroupTile`, warp groups compute them (`group_product.cl`).
struct CLWarpProduct: Sendable {
  /// The type of both factors.
  enum Factors: String, Sendable, CaseIterable {
    case f16
    /// fp32 values, rounded to tf32 (10 fraction bits).
    case floats

    var size: Int { self == .f16 ? 2 : 4 }
  }

  private let launch: OpenCLLaunch
  private let isEmpty: Bool
  private let bias: CLMatrixProduct.Bias
  private let hasAdd: Bool
  private let parts: CLParts?
  /// Fallback for factors that do not start on a chunk boundary, which warp groups require.
  private let unaligned: Unaligned?

  /// A product that is created on first use, which is rare.
  private final class Unaligned: Sendable {
    private let make: @Sendable () throws -> CLWarpProduct
    private let made = Mutex<CLWarpProduct?>(nil)

    init(_ make: @escaping @Sendable () throws -> CLWarpProduct) { self.make = make }

    func product() throws -> CLWarpProduct {
      try made.withLock { made in
        let product = try made ?? make()
        made = product
        return product
      }
    }
  }

  /// A matrix product.
  ///
  /// - Parameters:
  ///   - f16: only the flags of the added tensor and the result are used.
  ///   - tile: overrides the tile that the device and the shape suggest.
  ///   - parts: how many work-groups split K (`CLParts`).
  init(
    _ context: OpenCLContext, _ warps: CLWarps, _ shape: CLMatrixProduct.Shape, of factors: Factors = .f16,
    f16: F16Operands = .none, hasAdd: Bool = false, then: CLFunction = .identity, for operation: String = "matmul",
    tile: CLWarpTile? = nil, parts: Int = 1, group: CLGroupTile? = nil
  ) throws {
    let counts = try shape.counts()
    let index = try CLSizes(
      CLSizes.count([shape.m, shape.k], "matmul"), CLSizes.count([shape.k, shape.n], "matmul"), counts.c)
    try self.init(
      context, warps, shape, of: factors, counts: (counts.a, counts.b, counts.bias, counts.c), index, f16: f16,
      hasAdd: hasAdd, then: then, for: operation, tile: tile, parts: parts, group: group)
  }

  /// A convolution. The weights are the first factor. The second factor is the image's columns, gathered on the fly.
  init(
    _ context: OpenCLContext, _ warps: CLWarps, _ shape: CLConvolution.Shape, of factors: Factors = .f16,
    f16: F16Operands = .none, hasBias: Bool = false, hasAdd: Bool = false, then: CLFunction = .identity,
    for operation: String = "conv", tile: CLWarpTile? = nil, parts: Int = 1, group: CLGroupTile? = nil
  ) throws {
    let counts = try shape.counts()
    let product = shape.product(hasBias: hasBias)
    let index = CLSizes(counts.x, counts.weights, counts.y)
    let of = (a: counts.weights, b: counts.x, bias: hasBias ? shape.outputs : 0, c: counts.y)
    let window = shape.window.isPointwise ? nil : shape.window
    try self.init(
      context, warps, product, of: factors, counts: of, index, f16: f16, hasAdd: hasAdd, then: then,
      for: operation, tile: tile, parts: parts, window: window, group: group)
  }

  private init(
    _ context: OpenCLContext, _ warps: CLWarps, _ shape: CLMatrixProduct.Shape, of factors: Factors,
    counts: (a: Int, b: Int, bias: Int, c: Int), _ index: CLSizes, f16: F16Operands, hasAdd: Bool, then: CLFunction,
    for operation: String, tile: CLWarpTile?, parts count: Int, window: CLWindow? = nil, group: CLGroupTile?
  ) throws {
    (bias, self.hasAdd, isEmpty) = (shape.bias, hasAdd, counts.c == 0)
    let (m, n, batches) = (shape.m, shape.n, shape.batches)
    let tile = try tile ?? CLWarpTile(context.device, m: m, n: n, batches: batches)
    if group != nil, window != nil || count != 1 {
      throw KernelError(.openCLLaunch, "\(operation): warp groups take neither windows nor parts")
    }
    if group != nil, let reason = CLGroupTile.refusal(of: shape, factors) {
      throw KernelError(.openCLLaunch, "\(operation): \(reason)")
    }
    var definitions = (group?.definitions(shape) ?? tile.definitions).merging([
      "INDEX": index.definition, "BIAS": "\(bias.rawValue)", "TRANSPOSE_A": shape.transposeA ? "1" : "0",
      "TRANSPOSE_B": shape.transposeB ? "1" : "0", "RESIDUAL": hasAdd ? "1" : "0", "HALF_ADD": f16.flag(.add),
      "HALF_Y": f16.flag(.result), "FLOATS": factors == .floats ? "1" : "0",
    ]) { $1 }
    let isWhole = count == 1
    unaligned =
      group == nil
      ? nil
      : Unaligned {
        try CLWarpProduct(
          context, warps, shape, of: factors, counts: counts, index, f16: f16, hasAdd: hasAdd, then: then,
          for: operation, tile: nil, parts: 1, group: nil)
      }
    if !isWhole { definitions.merge(CLParts.plainEnd) { $1 } }
    definitions["PARTS"] = "\(count)"
    var parameters: [OpenCLParameter] = [
      .memory("a", count: counts.a, size: factors.size), .memory("b", count: counts.b, size: factors.size),
      .floats("bias", shape.bias == .none || !isWhole ? 0 : counts.bias),
    ]
    parameters +=
      isWhole
      ? [f16.numbers("add", hasAdd ? counts.c : 0, .add), f16.numbers("c", counts.c, .result)]
      : [.floats("add", 0), .floats("parts", count * counts.c)]
    parameters += CLTile.parameters(index, m: m, n: n, k: shape.k, shape.batch)
    if let window {
      definitions["CONVOLUTION"] = "1"
      (definitions["KERNEL_H"], definitions["KERNEL_W"]) = ("\(window.kernel[0])", "\(window.kernel[1])")
      let fields =
        window.input + [window.output[1]] + window.strides + window.dilations + window.padding
      parameters.append(.ints(fields.map { Int32(clamping: $0) }))
    }
    let size = try group?.sizes(shape) ?? tile.sizes(m: m, n: n, batches: batches * count)
    let source = try warps.source(
      group == nil ? "warp_product" : "group_product", then: isWhole ? then : .identity, isGroup: group != nil,
      for: operation)
    launch = try context.kernel("product", of: source, definitions).launch(
      parameters, global: size.global, local: size.local)
    parts =
      isWhole || counts.c == 0
      ? nil
      : try CLParts(
        context, count, shape, bias: counts.bias, f16: f16, hasAdd: hasAdd, then: then, for: operation)
  }

  /// `a`, `b`, `add` and `c` are matrices, `bias` is a vector. `scratch` holds the partial results of a K-split.
  func enqueue(
    on queue: OpenCLQueue, a: OpenCLMemory, b: OpenCLMemory, bias: OpenCLMemory? = nil, add: OpenCLMemory? = nil,
    c: OpenCLMemory, scratch: OpenCLMemory? = nil
  ) throws {
    guard (bias != nil) == (self.bias != .none), (add != nil) == hasAdd else {
      throw KernelError(.openCLLaunch, "matmul: a bias or a tensor to add is missing, or given and not expected")
    }
    guard !isEmpty else { return }
    if let unaligned, a.byteOffset % 16 != 0 || b.byteOffset % 16 != 0 {
      return try unaligned.product().enqueue(on: queue, a: a, b: b, bias: bias, add: add, c: c)
    }
    // Absent operands get the whole buffer of `a`. Its offset 0 passes the alignment check for fp32; `a` itself may
    // not.
    let none = a.buffer.memory
    if let parts {
      let memory = try parts.memory(in: scratch)
      try launch.enqueue(on: queue, a, b, none, none, memory)
      return try parts.enqueue(on: queue, parts: memory, bias: bias, add: add, c: c)
    }
    try launch.enqueue(on: queue, a, b, bias ?? none, add ?? none, c)
  }
}
