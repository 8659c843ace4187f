/// K-split for products with few tiles and a large K, which would leave most of a device idle. Each work-group writes
/// its partial accumulators to scratch memory. A second launch adds them and applies the epilogue (`parts.cl`).
struct CLParts: Sendable {
  private let launch: OpenCLLaunch
  private let count: Int

  /// The number of K-splits. Each part of K must be large enough to justify the second launch, which takes some
  /// microseconds.
  static func count(tiles: Int, depth: Int, on device: OpenCLDevice) -> Int {
    guard tiles > 0, tiles <= 4096, tiles * 2 <= device.computeUnits, depth >= 1024 else { return 1 }
    return min(device.computeUnits / tiles, depth / 256, 16)
  }

  /// Scratch memory for the partial results of a product.
  static func bytes(_ parts: Int, _ shape: CLMatrixProduct.Shape) -> Int {
    parts == 1 ? 0 : parts * shape.batches * shape.m * shape.n * 4
  }

  /// Definitions that turn off the epilogue in the product's own kernel.
  static let plainEnd = ["BIAS": "0", "RESIDUAL": "0", "HALF_ADD": "0", "HALF_Y": "0"]

  /// - Parameter bias: element count of the bias.
  init(
    _ context: OpenCLContext, _ parts: Int, _ shape: CLMatrixProduct.Shape, bias: Int, f16: F16Operands, hasAdd: Bool,
    then: CLFunction, for operation: String
  ) throws {
    let results = try CLSizes.count([shape.batches, shape.m, shape.n], operation)
    count = try CLSizes.count([results, parts], operation)
    let index = CLSizes(count)
    let definitions = [
      "INDEX": index.definition, "PARTS": "\(parts)", "BIAS": "\(shape.bias.rawValue)", "RESIDUAL": hasAdd ? "1" : "0",
      "HALF_ADD": f16.flag(.add), "HALF_Y": f16.flag(.result),
    ]
    let kernel = try context.kernel("sum_parts", of: then.ending("parts", for: operation), definitions)
    let size = CLElements(results, kernel)
    // Of a tile's parameters only the batch matters here.
    let sizes = CLTile.parameters(index, m: shape.m, n: shape.n, k: shape.k, shape.batch)
    launch = try kernel.launch(
      [
        .floats("parts", count), .floats("bias", shape.bias == .none ? 0 : bias),
        f16.numbers("add", hasAdd ? results : 0, .add), f16.numbers("c", results, .result), sizes[0], sizes[1],
        sizes[3],
      ], global: [size.global], local: [size.local])
  }

  /// The range of the partial results in a kernel's scratch memory.
  func memory(in scratch: OpenCLMemory?) throws -> OpenCLMemory {
    guard let scratch else { throw KernelError(.openCLLaunch, "a product in parts: there is no scratch memory") }
    return try scratch.range(byteOffset: 0, byteCount: count * 4)
  }

  /// Adds the partial results that the product has written to `parts`.
  func enqueue(
    on queue: OpenCLQueue, parts: OpenCLMemory, bias: OpenCLMemory?, add: OpenCLMemory?, c: OpenCLMemory
  ) throws {
    let none = parts.buffer.memory
    try launch.enqueue(on: queue, parts, bias ?? none, add ?? none, c)
  }
}
