/// The arguments of `conv_transpose`, for its type rule, its reference and its kernels.
package enum TransposedConvolution {
  /// x [n, C_in, ...], weight [C_in, C_out / groups, ...], bias [C_out]. `output_shape` has the complete output shape;
  /// only the spatial sizes are used.
  static func outputType(_ call: Invocation) throws -> TensorType {
    let x = try call.tensor("x")
    let weight = try call.shape("weight")
    try Convolution.requireRanks(call, x.shape, weight)
    let groups = try Convolution.groups(call)
    guard weight[0].agrees(with: x.shape[1]) else {
      throw call.error(.invalidShape, "'weight' takes \(weight[0]) channels and 'x' has \(x.shape[1])")
    }
    if let channels = x.shape[1].value, channels % groups != 0 {
      throw call.error(.invalidShape, "\(channels) input channels do not divide into \(groups) groups")
    }
    let outChannels = weight[1] * groups
    try Convolution.requireBias(call, channels: outChannels)
    let window = try Window(call, kernel: Array(weight[2...]))
    return TensorType(
      x.scalar, [x.shape[0], outChannels] + (try spatial(call, window, x.shape, outChannels)))
  }

  private static func spatial(
    _ call: Invocation, _ window: Window, _ x: [Dimension], _ outChannels: Dimension
  ) throws -> [Dimension] {
    if call.has("output_shape") {
      let shape = try call.ints("output_shape")
      guard shape.count == x.count, outChannels.agrees(with: Dimension(shape[1])), shape.allSatisfy({ $0 >= 0 }) else {
        throw call.error(
          .invalidArgument,
          "'output_shape' is \(shape), expected a shape of rank \(x.count) with \(outChannels) channels")
      }
      return shape[2...].map { Dimension($0) }
    }
    return try x[2...].enumerated().map { axis, size in
      let output =
        window.padding == .same || window.padding == .sameLower
        ? size * window.strides[axis]
        : full(window, axis, size) - window.customBefore[axis] - window.customAfter[axis]
      if let value = output.value, value < 1, size.value != 0 {
        throw call.error(.invalidShape, "spatial axis \(axis) of \(size) elements has nothing left of it after padding")
      }
      return output
    }
  }

  /// The output size along an axis before cropping.
  private static func full(_ window: Window, _ axis: Int, _ size: Dimension) -> Dimension {
    (size - 1) * window.strides[axis] + window.extent(axis)
  }

  /// The concrete geometry. `input` is that of `x`, and `output` that of the result.
  package static func geometry(_ call: Invocation) throws -> WindowGeometry {
    let output = try outputType(call)
    let x = try call.sizes("x")
    let weight = try call.sizes("weight")
    let groups = try Convolution.groups(call)
    let window = try Window(call, kernel: weight[2...].map { Dimension($0) })
    for axis in 0..<x.count - 2 where full(window, axis, Dimension(x[axis + 2])).value.map({ $0 > 1 << 40 }) ?? true {
      throw call.error(.invalidShape, "spatial axis \(axis) of \(x[axis + 2]) elements reaches too far with its stride")
    }
    let pads = (0..<x.count - 2).map { axis -> (before: Dimension, after: Dimension) in
      guard window.padding == .same || window.padding == .sameLower else {
        return (Dimension(window.customBefore[axis]), Dimension(window.customAfter[axis]))
      }
      return Window.split(
        full(window, axis, Dimension(x[axis + 2])) - output.shape[axis + 2], lower: window.padding == .sameLower)
    }
    return try WindowGeometry(
      call, batch: x[0], inChannels: x[1], outChannels: weight[1] * groups, groups: groups, input: Array(x[2...]),
      output: Array(output.shape[2...]), window: window, pads: pads)
  }

  static func work(_ call: Invocation, _ outputs: [ValueType]) -> Work {
    guard let input = try? call.tensor("x").elementCount, let weight = try? call.tensor("weight"),
      let elements = weight.elementCount, let channels = weight.shape.first?.value, channels > 0
    else { return Work(flops: 0) }
    return Work(flops: 2 * Double(input) * Double(elements / channels))
  }
}
