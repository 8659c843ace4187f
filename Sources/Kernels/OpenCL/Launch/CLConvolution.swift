/// MIL's `conv` and `conv_transpose` in one or two dimensions: `y = then(conv(x, weights) + bias)` on images
/// `[image][channel][row][column]`.
///
/// A kernel of one pixel is a product of matrices. Others are one as well whose second factor is gathered from the image
/// while it is used (implicit im2col, no scratch memory), unless a group has so few channels that a tile of the product
/// would be mostly empty: those, depthwise ones first of all, are computed directly.
public struct CLConvolution: Sendable {
  /// What is convolved. Weights are `[output channel][input channel of its group][row][column]`; of a transposed
  /// convolution they are `[input channel][output channel of its group][row][column]`.
  public struct Shape: Sendable, Hashable {
    public var images: Int
    /// Channels of all groups.
    public var inputs: Int
    public var outputs: Int
    public var groups: Int
    public var window: CLWindow

    public init(images: Int, inputs: Int, outputs: Int, groups: Int = 1, window: CLWindow) {
      self.images = images
      self.inputs = inputs
      self.outputs = outputs
      self.groups = groups
      self.window = window
    }
  }

  private enum Way: Sendable {
    case pointwise(CLMatrixProduct)
    case tiles(OpenCLKernel, [OpenCLArgument])
    case direct(OpenCLKernel, OpenCLArgument)
  }

  private let way: Way
  private let size: (global: [Int], local: [Int])
  private let counts: (x: Int, weights: Int, bias: Int, y: Int)
  private let hasBias: Bool
  private let then: CLFunction

  public init(
    _ context: OpenCLContext, _ shape: Shape, isTransposed: Bool = false, hasBias: Bool = false,
    then: CLFunction = .identity
  ) throws {
    let window = shape.window
    guard shape.groups > 0, shape.inputs % shape.groups == 0, shape.outputs % shape.groups == 0 else {
      throw KernelError(
        .openCLLaunch, "conv: \(shape.inputs) to \(shape.outputs) channels in \(shape.groups) groups")
    }
    let (inputs, outputs) = (shape.inputs / shape.groups, shape.outputs / shape.groups)
    counts = (
      try CLSizes.count([shape.images, shape.inputs, window.inputArea], "conv"),
      try CLSizes.count([shape.groups, outputs, inputs] + window.kernel, "conv"), shape.outputs,
      try CLSizes.count([shape.images, shape.outputs, window.outputArea], "conv")
    )
    self.hasBias = hasBias
    self.then = then
    let depth = inputs * window.kernel[0] * window.kernel[1]
    guard shape.images <= 1 << 30, shape.inputs <= 1 << 30, shape.outputs <= 1 << 30, depth <= 1 << 30 else {
      throw KernelError(.openCLLaunch, "conv: \(shape) is too large")
    }
    let batch = CLMatrixProduct.Batch(
      sizes: [shape.images, shape.groups], a: [0, outputs * depth],
      b: [shape.inputs * window.inputArea, inputs * window.inputArea], bias: [0, outputs])
    var definitions = ["THEN": then.symbol, "BIAS": hasBias ? "1" : "0"]
    if !isTransposed, window.isPointwise, outputs > 1 {
      way = .pointwise(
        try CLMatrixProduct(
          context, m: outputs, n: window.outputArea, k: inputs, batch: batch, bias: hasBias ? .rows : .none,
          then: then))
      size = ([], [])
      return
    }
    definitions["KERNEL_H"] = "\(window.kernel[0])"
    definitions["KERNEL_W"] = "\(window.kernel[1])"
    let steps = window.strides + window.dilations + window.padding
    if !isTransposed, outputs >= 16, depth >= 16 {
      let groups = shape.images * shape.groups
      let tile = try CLTile(context.device, m: outputs, n: window.outputArea, batches: groups)
      definitions.merge(tile.definitions) { $1 }
      definitions["CONVOLUTION"] = "1"
      let index = CLSizes(counts.x, counts.weights, counts.y)
      definitions["INDEX"] = index.definition
      let arguments = CLTile.arguments(index, m: outputs, n: window.outputArea, k: depth, batch)
      let slide = OpenCLArgument.ints((window.input + [window.output[1]] + steps).map { Int32(clamping: $0) })
      way = .tiles(try context.kernel("product", of: "tile", definitions), arguments + [slide])
      size = try tile.sizes(m: outputs, n: window.outputArea, batches: groups)
      return
    }
    let block = isTransposed ? 1 : [4, 2, 1].first { outputs >= $0 } ?? 1
    if !isTransposed { definitions["BLOCK"] = "\(block)" }
    let fields =
      [shape.images, shape.groups, inputs, outputs] + window.input + window.output + steps
    let kernel = try context.kernel(isTransposed ? "transposed" : "convolution", of: "conv", definitions)
    way = .direct(kernel, .ints(fields.map { Int32(clamping: $0) }))
    let blocks = (outputs + block - 1) / block * shape.groups
    size = (
      [window.outputArea, min(blocks, 65_535), min(shape.images, 65_535)],
      [min(window.outputArea <= 64 ? 32 : 128, kernel.maxWorkGroupSize), 1, 1]
    )
  }

  /// `x`, `weights` and `y` hold their tensors, `bias` a number for each output channel.
  public func enqueue(
    on queue: OpenCLQueue, x: OpenCLMemory, weights: OpenCLMemory, bias: OpenCLMemory? = nil, y: OpenCLMemory
  ) throws {
    try x.require(counts.x, of: 4, "conv: x")
    try weights.require(counts.weights, of: 4, "conv: weights")
    try y.require(counts.y, of: 4, "conv: y")
    guard (bias != nil) == hasBias else {
      throw KernelError(.openCLLaunch, "conv: a bias is \(bias == nil ? "missing" : "given, none is expected")")
    }
    try bias?.require(counts.bias, of: 4, "conv: bias")
    guard counts.y > 0 else { return }
    let tail = [OpenCLArgument.float(then.alpha), .float(then.beta)]
    switch way {
    case .pointwise(let product):
      try product.enqueue(on: queue, a: weights, b: x, bias: bias, c: y)
    case .tiles(let kernel, let shape):
      try kernel.enqueue(
        on: queue,
        [.floats(weights), .floats(x), .floats(bias ?? weights), .floats(y)] + shape + tail,
        global: size.global, local: size.local)
    case .direct(let kernel, let shape):
      try kernel.enqueue(
        on: queue, [.floats(x), .floats(weights), .floats(bias ?? weights), .floats(y), shape] + tail,
        global: size.global, local: size.local)
    }
  }
}
