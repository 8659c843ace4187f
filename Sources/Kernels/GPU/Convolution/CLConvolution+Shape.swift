/// The share of a product's speed that remains with gathering.
private let gathering = 0.95

extension CLConvolution.Shape {
  var inputsOfGroup: Int { inputs / groups }
  var outputsOfGroup: Int { outputs / groups }
  /// Products for each result (K).
  var depth: Int { inputsOfGroup * window.kernel[0] * window.kernel[1] }
  /// Output channels that a work-item of the direct kernel computes.
  var block: Int { [4, 2, 1].first { outputsOfGroup >= $0 } ?? 1 }

  /// Element count of each operand. Throws for a shape that no kernel takes.
  func counts() throws -> (x: Int, weights: Int, y: Int) {
    guard groups > 0, inputs % groups == 0, outputs % groups == 0 else {
      throw KernelError(.openCLLaunch, "conv: \(inputs) to \(outputs) channels in \(groups) groups")
    }
    let counts = (
      x: try CLSizes.count([images, inputs, window.inputArea], "conv"),
      weights: try CLSizes.count([groups, outputsOfGroup, inputsOfGroup] + window.kernel, "conv"),
      y: try CLSizes.count([images, outputs, window.outputArea], "conv")
    )
    guard images <= 1 << 30, inputs <= 1 << 30, outputs <= 1 << 30, depth <= 1 << 30 else {
      throw KernelError(.openCLLaunch, "conv: \(self) is too large")
    }
    return counts
  }

  /// The convolution as weights times columns of the image. It is one product for each image, or, with `joinsImages`,
  /// one product of the columns of all images. Kernels for the latter must know the distance between images.
  func product(hasBias: Bool, joinsImages: Bool = false) -> CLMatrixProduct.Shape {
    if joinsImages {
      return CLMatrixProduct.Shape(
        m: outputsOfGroup, n: images * window.outputArea, k: depth,
        batch: CLMatrixProduct.Batch(
          sizes: [groups], a: [outputsOfGroup * depth], b: [inputsOfGroup * window.inputArea], bias: [outputsOfGroup]),
        bias: hasBias ? .rows : .none)
    }
    return CLMatrixProduct.Shape(
      m: outputsOfGroup, n: window.outputArea, k: depth,
      batch: CLMatrixProduct.Batch(
        sizes: [images, groups], a: [0, groups == 1 ? 0 : outputsOfGroup * depth],
        b: [inputs * window.inputArea, inputsOfGroup * window.inputArea], bias: [0, groups == 1 ? 0 : outputsOfGroup]),
      bias: hasBias ? .rows : .none)
  }

  /// The reason why a kernel does not take the shape. Nil if it does.
  func refusal(of way: CLConvolution.Way) -> String? {
    switch way {
    case .vector:
      if !window.isPointwise || window.outputArea != 1 { return "not one pixel of an image of one" }
      return product(hasBias: true).refusal(of: .vector)
    case .pointwise: return window.isPointwise ? nil : "a kernel of \(window.kernel), or one that moves"
    case .tiles, .direct, .transposed: return nil
    }
  }

  /// The fraction of the device's arithmetic that a kernel reaches. Throws a `Refusal` for shapes that it does not
  /// take.
  ///
  /// Matrix products reach the efficiency of `CLMatrixProduct`. For tiles, gathering costs some instructions for every
  /// image element, 5% of the speed. The columns of all images are one product unless K is split. The direct kernel
  /// reads a pixel and a weight from caches for each of `block` products, at 0.5 to 0.8 operations a byte. For
  /// depthwise convolutions memory limits it anyway. The transposed kernel inspects every tap, uses few of them, and
  /// reads two values for each product.
  func efficiency(of way: CLConvolution.Way, on device: OpenCLDevice) throws -> Double {
    if let reason = refusal(of: way) { throw Refusal(reason) }
    switch way {
    case .vector: return try product(hasBias: true).efficiency(of: .vector, on: device)
    case .pointwise: return try product(hasBias: true).efficiency(of: .tiles, on: device)
    case .tiles: return try gathering * product(hasBias: true, joinsImages: true).efficiency(of: .tiles, on: device)
    case .direct: return 0.04 + 0.015 * Double(block)
    case .transposed: return 0.03
    }
  }

  /// Least seconds of one work-group, however many run concurrently; see `CLMatrixProduct.Shape`. A work-item of the
  /// direct kernel waits for a pixel and its weights with every tap.
  func latency(of way: CLConvolution.Way, parts: Int, on device: OpenCLDevice) throws -> Double {
    switch way {
    case .direct, .transposed: return 5e-8 * Double(inputsOfGroup * window.kernel.reduce(1, *))
    case .vector: return try product(hasBias: true).latency(of: .vector, parts: 1, on: device)
    case .tiles, .pointwise:
      return try product(hasBias: true, joinsImages: way == .tiles && parts == 1)
        .latency(of: .tiles, parts: parts, on: device)
    }
  }

  /// The efficiency if work-groups may split K, and the number of K-splits.
  func sharing(of way: CLConvolution.Way, on device: OpenCLDevice) throws -> (efficiency: Double, parts: Int) {
    if let reason = refusal(of: way) { throw Refusal(reason) }
    guard way == .tiles || way == .pointwise else { return (try efficiency(of: way, on: device), 1) }
    let shared = try product(hasBias: true).sharing(of: .tiles, on: device)
    guard way == .tiles else { return shared }
    let joined = try product(hasBias: true, joinsImages: true).efficiency(of: .tiles, on: device)
    let isShared = shared.parts > 1 && shared.efficiency > joined
    return (gathering * (isShared ? shared.efficiency : joined), isShared ? shared.parts : 1)
  }
}
