/// MIL's `conv` and `conv_transpose` in one or two dimensions: `y = then(conv(x, weights) + bias + add)` on images
/// `[image][channel][row][column]`.
package struct CLConvolution: Sendable {
  /// The geometry of the convolution. Weights are `[output channel][input channel of its group][row][column]`. For a
  /// transposed convolution they are `[input channel][output channel of its group][row][column]`.
  package struct Shape: Sendable, Hashable {
    package var images: Int
    /// Channels of all groups.
    package var inputs: Int
    package var outputs: Int
    package var groups: Int
    package var window: CLWindow

    package init(images: Int, inputs: Int, outputs: Int, groups: Int = 1, window: CLWindow) {
      self.images = images
      self.inputs = inputs
      self.outputs = outputs
      self.groups = groups
      self.window = window
    }
  }

  /// The kernel that computes it.
  package enum Way: String, Sendable, CaseIterable {
    /// A 1 x 1 convolution of images of one pixel: the product of the weights and a vector.
    case vector
    /// A 1 x 1 convolution: a matrix product.
    case pointwise
    /// A matrix product whose second factor is gathered from the image on the fly: implicit im2col without scratch
    /// memory.
    case tiles
    /// A work-item computes one pixel of a few channels.
    case direct
    /// The adjoint, `conv_transpose`: a work-item computes one element.
    case transposed
  }

  private enum Work: Sendable {
    case product(CLMatrixProduct)
    /// Takes the weights before the image.
    case tiles(OpenCLLaunch)
    case direct(OpenCLLaunch)
  }

  private let work: Work
  private let isEmpty: Bool
  private let hasBias: Bool
  private let hasAdd: Bool
  /// Adds the partial results of the implicit product.
  private let parts: CLParts?

  /// Throws if `way` does not take the shape. `operation` names the operation in compile errors. In `f16`, `.first` is
  /// the images and `.second` the weights.
  package init(
    _ context: OpenCLContext, _ shape: Shape, by way: Way, f16: F16Operands = .none, hasBias: Bool = false,
    hasAdd: Bool = false, then: CLFunction = .identity, for operation: String = "conv"
  ) throws {
    try self.init(
      context, shape, by: way, f16: f16, hasBias: hasBias, hasAdd: hasAdd, then: then, for: operation, parts: 1)
  }

  /// `parts` is the number of K-splits of a product (`CLParts`). `tile` overrides the tile that the device and the
  /// shape suggest.
  init(
    _ context: OpenCLContext, _ shape: Shape, by way: Way, f16: F16Operands = .none, hasBias: Bool = false,
    hasAdd: Bool = false, then: CLFunction = .identity, for operation: String = "conv", parts count: Int,
    tile: CLTile? = nil
  ) throws {
    let counts = try shape.counts()
    if let reason = shape.refusal(of: way) { throw KernelError(.openCLLaunch, "conv: \(reason)") }
    (self.hasBias, self.hasAdd, isEmpty) = (hasBias, hasAdd, counts.y == 0)
    let window = shape.window
    let ends = [
      "BIAS": hasBias ? "1" : "0", "RESIDUAL": hasAdd ? "1" : "0", "HALF_WEIGHTS": f16.flag(.second),
      "HALF_A": f16.flag(.second), "HALF_B": f16.flag(.first), "HALF_X": f16.flag(.first),
      "HALF_ADD": f16.flag(.add), "HALF_Y": f16.flag(.result),
    ]
    let taps = ["KERNEL_H": "\(window.kernel[0])", "KERNEL_W": "\(window.kernel[1])"]
    let definitions = ends.merging(taps) { $1 }
    let steps = window.strides + window.dilations + window.padding
    let x = f16.numbers("x", counts.x, .first)
    let weights = f16.numbers("weights", counts.weights, .second)
    let others = [
      OpenCLParameter.floats("bias", hasBias ? shape.outputs : 0), f16.numbers("add", hasAdd ? counts.y : 0, .add),
      f16.numbers("y", counts.y, .result),
    ]
    switch way {
    case .vector, .pointwise:
      work = .product(
        try CLMatrixProduct(
          context, shape.product(hasBias: hasBias), by: way == .vector ? .vector : .tiles,
          f16: f16.swapped, hasAdd: hasAdd, then: then, for: operation, tile: tile, parts: count))
      parts = nil
    case .tiles:
      let product = shape.product(hasBias: hasBias, joinsImages: count == 1)
      let tile = try tile ?? CLTile(context.device, product, parts: count)
      let index = CLSizes(counts.x, counts.weights, counts.y)
      var own = ["CONVOLUTION": "1", "INDEX": index.definition, "PARTS": "\(count)"]
      own.merge(tile.definitions(for: context.device)) { $1 }
      let isWhole = count == 1
      if !isWhole { own.merge(CLParts.plainEnd) { $1 } }
      parts =
        isWhole || counts.y == 0
        ? nil
        : try CLParts(
          context, count, product, bias: shape.outputs, f16: f16, hasAdd: hasAdd, then: then, for: operation)
      let size = try tile.sizes(m: product.m, n: product.n, batches: product.batches * count)
      let ends = isWhole ? others : [.floats("bias", 0), .floats("add", 0), .floats("parts", count * counts.y)]
      let images = [
        window.outputArea, shape.inputs * window.inputArea, shape.outputs * window.outputArea,
      ].map { index.one($0) }
      let slide = OpenCLParameter.ints((window.input + [window.output[1]] + steps).map { Int32(clamping: $0) })
      work = .tiles(
        try context.kernel(
          "product", of: (isWhole ? then : .identity).ending("tile", front: "tile_slice", for: operation),
          definitions.merging(own) { $1 }
        ).launch(
          [weights, x] + ends
            + CLTile.parameters(index, m: product.m, n: product.n, k: product.k, product.batch) + images + [slide],
          global: size.global, local: size.local))
    case .direct, .transposed:
      parts = nil
      let block = way == .transposed ? 1 : shape.block
      let source = try then.ending("conv", for: operation)
      let kernel =
        way == .transposed
        ? try context.kernel("transposed", of: source, definitions)
        : try context.kernel("convolution", of: source, definitions.merging(["BLOCK": "\(block)"]) { $1 })
      let fields =
        [shape.images, shape.groups, shape.inputsOfGroup, shape.outputsOfGroup] + window.input + window.output + steps
      let blocks = (shape.outputsOfGroup + block - 1) / block * shape.groups
      work = .direct(
        try kernel.launch(
          [x, weights] + others + [.ints(fields.map { Int32(clamping: $0) })],
          global: [window.outputArea, min(blocks, 65_535), min(shape.images, 65_535)],
          local: [min(window.outputArea <= 64 ? 32 : 128, kernel.maxWorkGroupSize), 1, 1]))
    }
  }

  /// `x`, `weights`, `add` and `y` are tensors, `bias` has one element for each output channel. `scratch` holds the
  /// partial results of a K-split.
  package func enqueue(
    on queue: OpenCLQueue, x: OpenCLMemory, weights: OpenCLMemory, bias: OpenCLMemory? = nil,
    add: OpenCLMemory? = nil, y: OpenCLMemory, scratch: OpenCLMemory? = nil
  ) throws {
    guard (bias != nil) == hasBias, (add != nil) == hasAdd else {
      throw KernelError(.openCLLaunch, "conv: a bias or a tensor to add is missing, or given and not expected")
    }
    guard !isEmpty else { return }
    switch work {
    case .product(let product):
      try product.enqueue(on: queue, a: weights, b: x, bias: bias, add: add, c: y, scratch: scratch)
    case .tiles(let launch):
      if let parts {
        let memory = try parts.memory(in: scratch)
        let none = memory.buffer.memory
        try launch.enqueue(on: queue, weights, x, none, none, memory)
        return try parts.enqueue(on: queue, parts: memory, bias: bias, add: add, c: y)
      }
      try launch.enqueue(on: queue, weights, x, bias ?? weights, add ?? weights, y)
    case .direct(let launch): try launch.enqueue(on: queue, x, weights, bias ?? weights, add ?? weights, y)
    }
  }
}
