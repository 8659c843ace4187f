/// Convolutions as in `CLConvolution`, of fp16 values or of rounded fp32 values, on a GPU's matrix units
/// (`warp_conv.cl`). A work-group loads its part of an image into local memory once, for all taps. Accumulators are
/// fp32.
struct CLWarpConvolution: Sendable {
  private let launch: OpenCLLaunch
  private let pack: OpenCLKernel
  private let shape: CLConvolution.Shape
  private let packedCount: Int
  /// Bytes of an element of the factors.
  private let size: Int
  private let hasBias: Bool
  private let hasAdd: Bool
  private let parts: CLParts?
  /// The layout of the packed weights.
  let recipe: PackingRecipe

  /// - Parameters:
  ///   - f16: only the flags of the added tensor and the result are used. The tile defines the type of the factors.
  ///   - parts: the number of K-splits over the channels (`CLParts`).
  init(
    _ context: OpenCLContext, _ warps: CLWarps, _ shape: CLConvolution.Shape, f16: F16Operands = .none,
    hasBias: Bool = false, hasAdd: Bool = false, then: CLFunction = .identity, for operation: String = "conv",
    tile: CLPatchTile, parts count: Int = 1
  ) throws {
    (self.shape, self.hasBias, self.hasAdd) = (shape, hasBias, hasAdd)
    let counts = try shape.counts()
    packedCount = try tile.packedCount(shape)
    self.size = tile.factors.size
    guard CLSizes(counts.x, packedCount, counts.y).definition == "int", counts.y > 0 else {
      throw KernelError(.openCLLaunch, "conv: \(shape) is too large, or empty")
    }
    recipe = PackingRecipe(
      tile.factors == .f16 ? "opencl.patches" : "opencl.patches.tf32",
      [tile.m, tile.slice, shape.groups, shape.outputs, shape.inputs] + shape.window.kernel,
      byteCount: tile.factors.size * packedCount)
    let window = shape.window
    let isWhole = count == 1
    var definitions = tile.definitions(window)
    definitions["INDEX"] = "int"
    if warps == .plain { definitions["ROLLED"] = "1" }
    let ends = [
      "BIAS": hasBias ? "1" : "0", "RESIDUAL": hasAdd ? "1" : "0", "HALF_ADD": f16.flag(.add),
      "HALF_Y": f16.flag(.result),
    ]
    let last = isWhole ? then : .identity
    let kernel = try context.kernel(
      "convolve", of: warps.source("warp_patch", "warp_conv", then: last, for: operation),
      definitions.merging(isWhole ? ends : CLParts.plainEnd) { $1 })
    pack = try context.kernel("pack_weights", of: warps.source("warp_patch", "warp_pack", for: operation), definitions)
    let isRow = window.isPointwise
    let fields =
      [shape.images, shape.groups, count, shape.inputsOfGroup, shape.outputsOfGroup]
      + (isRow ? [1, window.inputArea, 1, window.outputArea] : window.input + window.output) + window.padding
    let sizes = try tile.sizes(shape, parts: count)
    let results: [OpenCLParameter] =
      isWhole
      ? [
        .floats("bias", hasBias ? shape.outputs : 0), f16.numbers("add", hasAdd ? counts.y : 0, .add),
        f16.numbers("y", counts.y, .result),
      ] : [.floats("bias", 0), .floats("add", 0), .floats("parts", count * counts.y)]
    launch = try kernel.launch(
      [.memory("weights", count: packedCount, size: size), .memory("x", count: counts.x, size: size)] + results
        + [.ints(fields.map { Int32(clamping: $0) })],
      global: sizes.global, local: sizes.local)
    parts =
      isWhole
      ? nil
      : try CLParts(
        context, count, shape.product(hasBias: hasBias), bias: shape.outputs, f16: f16, hasAdd: hasAdd,
        then: then, for: operation)
  }

  /// Packs the weights, `[output][input of its group][row][column]` in the type of the factors, in the order in which
  /// the kernel reads them.
  func packed(_ weights: OpenCLMemory) throws -> OpenCLBuffer {
    let buffer = try weights.buffer.context.makeBuffer(byteCount: size * packedCount)
    let queue = try weights.buffer.context.makeQueue()
    let numbers = [shape.groups, shape.outputsOfGroup, shape.inputsOfGroup].map { OpenCLParameter.int(Int32($0)) }
    let local = min(256, pack.maxWorkGroupSize)
    let count = try shape.counts().weights
    try pack.launch(
      [.memory("weights", count: count, size: size), .memory("packed", count: packedCount, size: size)] + numbers,
      global: [min(packedCount, 1 << 20)], local: [local]
    ).enqueue(on: queue, weights, buffer.memory)
    try queue.finish()
    return buffer
  }

  /// `x`, `add` and `y` are tensors, `weights` is the result of `packed`, and `bias` has one element for each output
  /// channel. `scratch` holds the partial results of a K-split.
  func enqueue(
    on queue: OpenCLQueue, x: OpenCLMemory, weights: OpenCLMemory, bias: OpenCLMemory? = nil,
    add: OpenCLMemory? = nil, y: OpenCLMemory, scratch: OpenCLMemory? = nil
  ) throws {
    guard (bias != nil) == hasBias, (add != nil) == hasAdd else {
      throw KernelError(.openCLLaunch, "conv: a bias or a tensor to add is missing, or given and not expected")
    }
    // Absent operands get the whole buffer of `weights`. Its offset 0 passes the alignment check for fp32.
    let none = weights.buffer.memory
    if let parts {
      let memory = try parts.memory(in: scratch)
      try launch.enqueue(on: queue, weights, x, none, none, memory)
      return try parts.enqueue(on: queue, parts: memory, bias: bias, add: add, c: y)
    }
    try launch.enqueue(on: queue, weights, x, bias ?? none, add ?? none, y)
  }

  /// The error of convolutions, nil if all results are right. It tests 3 x 3 and 1 x 1 filters, partial tiles, and more
  /// than one slice of channels. A compile error counts as an error.
  static func fault(
    on context: OpenCLContext, _ warps: CLWarps, _ factors: CLWarpProduct.Factors
  ) -> String? {
    do {
      for kernel in [3, 1] {
        // With small integers, factors and accumulators are exact.
        let (inputs, outputs, height, width) = (35, 37, 6, 10)
        let window = try CLWindow(
          input: [height, width], output: [height, width], kernel: [kernel, kernel], padding: [kernel / 2, kernel / 2])
        let shape = CLConvolution.Shape(images: 1, inputs: inputs, outputs: outputs, window: window)
        guard let tile = CLPatchTile(context.device, shape, of: factors) else { return "work-groups are too small" }
        let x = (0..<inputs * height * width).map { Float($0 * 7 % 13 - 6) }
        let weights = (0..<outputs * inputs * kernel * kernel).map { Float($0 * 5 % 11 - 5) }
        let convolution = try CLWarpConvolution(context, warps, shape, tile: tile)
        let memory = try [x, weights].map { numbers in
          factors == .floats
            ? try context.makeBuffer(copying: numbers).memory
            : try context.makeBuffer(copying: numbers.map { Float16($0) }).memory
        }
        let packed = try convolution.packed(memory[1]).memory
        let y = try context.makeBuffer(copying: [Float](repeating: .nan, count: outputs * height * width)).memory
        let queue = try context.makeQueue()
        try convolution.enqueue(on: queue, x: memory[0], weights: packed, y: y)
        try queue.finish()
        var found = [Float](repeating: 0, count: outputs * height * width)
        try found.withUnsafeMutableBytes { try queue.read(y, into: $0) }
        for place in found.indices {
          let (output, row, column) = (place / (height * width), place / width % height, place % width)
          var sum: Float = 0
          for input in 0..<inputs {
            for r in 0..<kernel {
              for t in 0..<kernel {
                let (above, beside) = (row + r - kernel / 2, column + t - kernel / 2)
                guard above >= 0, above < height, beside >= 0, beside < width else { continue }
                sum +=
                  x[(input * height + above) * width + beside]
                  * weights[((output * inputs + input) * kernel + r) * kernel + t]
              }
            }
          }
          guard found[place] == sum else {
            return "\(found[place]) at \(place) with a kernel of \(kernel), not \(sum)"
          }
        }
      }
      return nil
    } catch { return "\(error)" }
  }
}
