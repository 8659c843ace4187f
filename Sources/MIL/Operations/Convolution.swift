/// Convolutions (coremltools: `conv`, `conv_quantized`, `conv_transpose`).
enum ConvolutionOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition("conv", Convolution.parameters, work: { Convolution.work($0, $1) }) { call in
      [.tensor(try Convolution.outputType(call))]
    },
    OperationDefinition(
      "conv_quantized",
      Convolution.parameters + [
        .required("quantization_type"), .optional("nbits"), .required("quant_scale"), .required("quant_bias"),
      ], work: { Convolution.work($0, $1) }
    ) { call in
      let type = try call.string("quantization_type")
      guard type == "linear" else {
        throw call.error(.unsupported, "the quantization type '\(type)' is not supported, only linear is")
      }
      for name in ["quant_scale", "quant_bias"] {
        let shape = try call.shape(name)
        let channels = try call.shape("weight").first ?? .unknown
        guard shape.isEmpty || shape.allSatisfy({ $0.value == 1 }) || shape.first?.agrees(with: channels) == true,
          shape.dropFirst().allSatisfy({ $0.value == 1 })
        else { throw call.error(.invalidShape, "'\(name)' must be one number, or one per output channel") }
      }
      return [.tensor(try Convolution.outputType(call))]
    },
    OperationDefinition(
      "conv_transpose", Convolution.parameters + [.optional("output_shape")],
      work: { TransposedConvolution.work($0, $1) }
    ) { call in [.tensor(try TransposedConvolution.outputType(call))] },
  ]
}

/// The arguments of `conv`, for its type rule, its reference and its kernels.
package enum Convolution {
  static let parameters: [Parameter] = [
    .required("x"), .required("weight"), .optional("bias"), .optional("strides"), .optional("pad_type"),
    .optional("pad"), .optional("dilations"), .optional("groups"),
  ]

  /// x [n, C_in, ...], weight [C_out, C_in / groups, ...], bias [C_out], one to three spatial axes.
  static func outputType(_ call: Invocation) throws -> TensorType {
    let x = try call.tensor("x")
    let weight = try call.shape("weight")
    try requireRanks(call, x.shape, weight)
    let groups = try groups(call)
    let outChannels = weight[0]
    guard (weight[1] * groups).agrees(with: x.shape[1]) else {
      throw call.error(
        .invalidShape,
        "'weight' takes \(weight[1]) channels in each of \(groups) groups, and 'x' has \(x.shape[1]) channels")
    }
    if let value = outChannels.value, value % groups != 0 {
      throw call.error(.invalidShape, "\(value) output channels do not divide into \(groups) groups")
    }
    try requireBias(call, channels: outChannels)
    let window = try Window(call, kernel: Array(weight[2...]))
    let spatial = try x.shape[2...].enumerated().map { axis, size in
      let output = window.output(axis, input: size)
      if let value = output.value, value < 1, size.value != 0 {
        throw call.error(.invalidShape, "spatial axis \(axis) of \(size) elements is shorter than the kernel")
      }
      return output
    }
    return TensorType(x.scalar, [x.shape[0], outChannels] + spatial)
  }

  /// The concrete geometry. All shapes and attributes must be known.
  package static func geometry(_ call: Invocation) throws -> WindowGeometry {
    let output = try outputType(call)
    let x = try call.sizes("x")
    let weight = try call.sizes("weight")
    let window = try Window(call, kernel: weight[2...].map { Dimension($0) })
    let pads = x[2...].enumerated().map { window.pads($0.offset, input: Dimension($0.element)) }
    return try WindowGeometry(
      call, batch: x[0], inChannels: x[1], outChannels: weight[0], groups: try groups(call), input: Array(x[2...]),
      output: Array(output.shape[2...]), window: window, pads: pads)
  }

  static func work(_ call: Invocation, _ outputs: [ValueType]) -> Work {
    guard let output = outputs.first?.tensor?.elementCount,
      let weight = try? call.tensor("weight"), let elements = weight.elementCount,
      let channels = weight.shape.first?.value,
      channels > 0
    else { return Work(flops: 0) }
    return Work(flops: 2 * Double(output) * Double(elements / channels))
  }

  static func groups(_ call: Invocation) throws -> Int {
    let groups = try call.int("groups", default: 1)
    guard groups >= 1, groups <= Window.limit else {
      throw call.error(.invalidArgument, "'groups' is \(groups), it must be at least 1")
    }
    return groups
  }

  static func requireRanks(_ call: Invocation, _ x: [Dimension], _ weight: [Dimension]) throws {
    guard (3...5).contains(x.count), weight.count == x.count else {
      throw call.error(
        .invalidShape,
        "'x' of rank \(x.count) and 'weight' of rank \(weight.count): both must have 1 to 3 spatial axes after the first two"
      )
    }
  }

  static func requireBias(_ call: Invocation, channels: Dimension) throws {
    guard call.has("bias") else { return }
    let bias = try call.shape("bias")
    guard bias.count == 1, bias[0].agrees(with: channels) else {
      throw call.error(
        .invalidShape, "'bias' must be [\(channels)], it is [\(bias.map(\.description).joined(separator: ", "))]")
    }
  }
}
