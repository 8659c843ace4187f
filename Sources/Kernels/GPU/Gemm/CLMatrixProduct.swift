/// `C = then(A B + bias + add)`, a batch of products of row-major matrices: MIL's `matmul` and `linear`, and 1 x 1
/// convolutions.
package struct CLMatrixProduct: Sendable {
  /// The kernel that computes it.
  package enum Way: String, Sendable, CaseIterable {
    /// A work-group computes one or a few elements of a row of C (`vector.cl`). It reads B once for each row of A.
    case vector
    /// Tiles of C, through local memory (`tile.cl`).
    case tiles
  }

  private let launch: OpenCLLaunch
  private let isEmpty: Bool
  private let bias: Bias
  private let hasAdd: Bool
  /// Whether the kernel takes B as its first factor.
  private let isSwapped: Bool
  private let parts: CLParts?

  /// Throws if `way` does not take the shape.
  ///
  /// - Parameters:
  ///   - f16: which operands are fp16. `.first` and `.second` are the factors.
  ///   - operation: the name of the operation in compile errors.
  ///   - tile: overrides the tile that the device and the shape suggest.
  ///   - parts: how many work-groups split K (`CLParts`).
  package init(
    _ context: OpenCLContext, _ shape: Shape, by way: Way, f16: F16Operands = .none, hasAdd: Bool = false,
    then: CLFunction = .identity, for operation: String = "matmul"
  ) throws {
    try self.init(context, shape, by: way, f16: f16, hasAdd: hasAdd, then: then, for: operation, tile: nil)
  }

  init(
    _ context: OpenCLContext, _ shape: Shape, by way: Way, f16: F16Operands = .none, hasAdd: Bool = false,
    then: CLFunction = .identity, for operation: String = "matmul", tile: CLTile?, parts count: Int = 1
  ) throws {
    let counts = try shape.counts()
    bias = shape.bias
    self.hasAdd = hasAdd
    isEmpty = counts.c == 0
    // The kernel's factors, which the vector kernel may swap.
    let swaps = way == .vector && shape.isSwappedAsVector
    let (first, second) = swaps ? (F16Operands.second, F16Operands.first) : (.first, .second)
    let ends = [
      "RESIDUAL": hasAdd ? "1" : "0", "HALF_A": f16.flag(first), "HALF_B": f16.flag(second),
      "HALF_ADD": f16.flag(.add), "HALF_Y": f16.flag(.result),
    ]
    let isWhole = count == 1
    guard isWhole || way == .tiles else {
      throw KernelError(.openCLLaunch, "matmul: the vector kernel has no K-split")
    }
    func memory(_ a: Int, _ b: Int) -> [OpenCLParameter] {
      [
        f16.numbers("a", a, first), f16.numbers("b", b, second),
        .floats("bias", shape.bias == .none || !isWhole ? 0 : counts.bias),
      ]
        + (isWhole
          ? [f16.numbers("add", hasAdd ? counts.c : 0, .add), f16.numbers("c", counts.c, .result)]
          : [.floats("add", 0), .floats("parts", count * counts.c)])
    }
    switch way {
    case .vector:
      parts = nil
      let form = try VectorVariant(shape)
      isSwapped = form.isSwapped
      launch = try form.launch(
        context, memory(isSwapped ? counts.b : counts.a, isSwapped ? counts.a : counts.b),
        then.ending("vector", for: operation), ends)
    case .tiles:
      isSwapped = false
      let batches = shape.batches
      let tile = try tile ?? CLTile(context.device, shape, parts: count)
      let (m, n, k) = (shape.m, shape.n, shape.k)
      let index = try CLSizes(CLSizes.count([m, k], "matmul"), CLSizes.count([k, n], "matmul"), counts.c)
      let own = [
        "INDEX": index.definition, "BIAS": "\(bias.rawValue)", "TRANSPOSE_A": shape.transposeA ? "1" : "0",
        "TRANSPOSE_B": shape.transposeB ? "1" : "0",
      ]
      var definitions = own.merging(tile.definitions(for: context.device)) { $1 }.merging(ends) { $1 }
      definitions["PARTS"] = "\(count)"
      if !isWhole { definitions.merge(CLParts.plainEnd) { $1 } }
      parts =
        isWhole || counts.c == 0
        ? nil
        : try CLParts(
          context, count, shape, bias: counts.bias, f16: f16, hasAdd: hasAdd, then: then, for: operation)
      let kernel = try context.kernel(
        "product", of: (isWhole ? then : .identity).ending("tile", front: "tile_slice", for: operation), definitions)
      let size = try tile.sizes(m: m, n: n, batches: batches * count)
      launch = try kernel.launch(
        memory(counts.a, counts.b) + CLTile.parameters(index, m: m, n: n, k: k, shape.batch), global: size.global,
        local: size.local)
    }
  }

  /// `a`, `b`, `add` and `c` are matrices, `bias` is a vector. `scratch` holds the partial results if work-groups split
  /// K.
  package func enqueue(
    on queue: OpenCLQueue, a: OpenCLMemory, b: OpenCLMemory, bias: OpenCLMemory? = nil, add: OpenCLMemory? = nil,
    c: OpenCLMemory, scratch: OpenCLMemory? = nil
  ) throws {
    guard (bias != nil) == (self.bias != .none), (add != nil) == hasAdd else {
      throw KernelError(.openCLLaunch, "matmul: a bias or a tensor to add is missing, or given and not expected")
    }
    guard !isEmpty else { return }
    if let parts {
      let memory = try parts.memory(in: scratch)
      let none = memory.buffer.memory
      try launch.enqueue(on: queue, a, b, none, none, memory)
      return try parts.enqueue(on: queue, parts: memory, bias: bias, add: add, c: c)
    }
    try launch.enqueue(on: queue, isSwapped ? b : a, isSwapped ? a : b, bias ?? a, add ?? a, c)
  }

  static func powerOfTwo(_ limit: Int) -> Int {
    var power = 1
    while power * 2 <= limit { power *= 2 }
    return power
  }
}

/// A product of few rows times a matrix: the given product, or, with one column, the product with swapped factors.
private struct VectorVariant {
  let isSwapped: Bool
  private let rows: Int
  private let columns: Int
  private let shape: CLMatrixProduct.Shape
  private let secondIsTransposed: Bool

  init(_ shape: CLMatrixProduct.Shape) throws(KernelError) {
    if let reason = shape.refusal(of: .vector) { throw KernelError(.openCLLaunch, "matmul: \(reason)") }
    self.shape = shape
    isSwapped = shape.isSwappedAsVector
    (rows, columns) = isSwapped ? (shape.n, shape.m) : (shape.m, shape.n)
    secondIsTransposed = isSwapped ? !shape.transposeA : shape.transposeB
  }

  func launch(
    _ context: OpenCLContext, _ memory: [OpenCLParameter], _ source: OpenCLSource, _ ends: [String: String]
  ) throws -> OpenCLLaunch {
    let batch = shape.batch
    let pad = [Int](repeating: 1, count: 4 - batch.sizes.count)
    let zero = pad.map { _ in 0 }
    let first = isSwapped ? batch.b : batch.a
    let second = isSwapped ? batch.a : batch.b
    let fields = [rows, columns, shape.k, shape.batches] + pad + batch.sizes + zero + first + zero + second
    let parameters = memory + [.longs(fields.map { Int64($0) })]
    let group = min(CLMatrixProduct.powerOfTwo(context.device.maxWorkGroupSize), shape.k >= 1024 ? 256 : 64)
    let definitions = ends.merging(["GROUP": "\(group)", "BIAS": shape.bias == .none ? "0" : "1"]) { $1 }
    let groups = [min(rows, 65_535), min(shape.batches, 65_535)]
    if secondIsTransposed {
      return try context.kernel("product_rows", of: source, definitions)
        .launch(parameters, global: [columns * group] + groups, local: [group, 1, 1])
    }
    guard group >= 32 else {
      throw KernelError(.openCLLaunch, "matmul: the device's work-groups have fewer than 32 work-items")
    }
    return try context.kernel("product_columns", of: source, definitions)
      .launch(parameters, global: [columns, groups[0] * (group / 32), groups[1]], local: [32, group / 32, 1])
  }
}
