import MIL

/// Folds a `batch_norm` after a convolution into the convolution's constant weights and bias:
/// y = gamma (conv(x) - mean) / sqrt(variance + epsilon) + beta.
/// A `batch_norm` after a linear layer is folded too, if the layer's columns are the norm's channels and each channel
/// has one element. Models exported with a norm over rows have reshapes before and after the norm.
///
/// The weights keep their stored encoding and get a scale per output channel, which is applied when they are read.
///
/// Runs after widening to the device's fp32 form, so stored fp16 weights are never rounded twice.
struct FoldChannelAffine: Pass {
  func callAsFunction(_ function: Function) throws -> Function {
    guard function.contains("batch_norm") else { return function }
    var result = function
    let uses = Uses(function)
    let (constants, types, stored) = (function.constants, function.types, function.constantNames)
    var names = FreshNames(function)
    var dropped: Set<Int> = []
    var scales: [Int: Operation] = [:]
    for (index, norm) in function.body.operations.enumerated() where norm.type == "batch_norm" {
      guard let (maker, reshapes) = source(of: norm, at: index, in: function, uses), !dropped.contains(maker),
        let weight = result.body.operations[maker].binding("weight"),
        let type = weight.constantType(types, stored),
        let (folded, scale) = try fold(norm, into: result.body.operations[maker], type, constants)
      else { continue }
      let scaled = names.name(norm.outputs[0].name + "__weight")
      // The product moves to the norm's position, so that its output is still defined there. If reshapes follow, the
      // product stays, and the last reshape computes the norm's output.
      let place = reshapes.isEmpty ? index : maker
      result.body.operations[place] = folded
      result.body.operations[place].inputs["weight"] = [.name(scaled)]
      if let last = reshapes.last {
        result.body.operations[place].outputs = function.body.operations[maker].outputs
        result.body.operations[last].outputs = norm.outputs
      }
      scales[place] = Operation(
        "constexpr_blockwise_shift_scale", inputs: ["data": [weight], "scale": [.tensor(scale)]],
        outputs: [NamedType(scaled, .tensor(type))], origins: folded.origins)
      dropped.insert(reshapes.isEmpty ? maker : index)
    }
    result.body.operations = result.body.operations.enumerated().flatMap { index, operation in
      dropped.contains(index) ? [] : (scales[index].map { [$0] } ?? []) + [operation]
    }
    return result
  }

  /// The product that the norm reads, and the reshapes between them in order; nil if another operation reads one of the
  /// values between.
  private func source(
    of norm: Operation, at index: Int, in function: Function, _ uses: Uses
  ) -> (maker: Int, reshapes: [Int])? {
    var (reader, reshapes) = (index, [Int]())
    while case .name(let input)? = function.body.operations[reader].binding("x"), let maker = uses.maker(of: input),
      uses.onlyReader(of: input) == reader
    {
      let operation = function.body.operations[maker]
      switch operation.type {
      case "reshape", "expand_dims", "squeeze": reshapes.append(maker)
      case "conv" where reshapes.isEmpty, "conv_transpose" where reshapes.isEmpty: return (maker, [])
      case "linear":
        // Reshapes keep the order of elements. So a column is a channel if the channel axis is the last axis with more
        // than one element.
        guard let shape = norm.outputs.first?.type.tensor?.shape, shape.count >= 2, let channels = shape[1].value,
          shape[2...].allSatisfy({ $0.value == 1 }),
          operation.outputs.first?.type.tensor?.shape.last?.value == channels
        else { return nil }
        return (maker, reshapes.reversed())
      default: return nil
      }
      reader = maker
    }
    return nil
  }

  /// The product with the norm folded into its bias, and the scales of its weights.
  private func fold(
    _ norm: Operation, into product: Operation, _ weight: TensorType, _ constants: [String: Value]
  ) throws -> (Operation, Tensor)? {
    guard weight.scalar == .float32, weight.rank >= (product.type == "linear" ? 2 : 3),
      let sizes = weight.concreteShape,
      product.inputs["bias"] == nil || product.value("bias", constants) != nil,
      let mean = try norm.value("mean", constants)?.tensor?.doubles(),
      let variance = try norm.value("variance", constants)?.tensor?.doubles(), mean.count == variance.count
    else { return nil }
    let channels = mean.count
    let gamma = try norm.value("gamma", constants)?.tensor?.doubles() ?? Array(repeating: 1, count: channels)
    let beta = try norm.value("beta", constants)?.tensor?.doubles() ?? Array(repeating: 0, count: channels)
    let epsilon = try norm.value("epsilon", constants)?.tensor?.doubles().first ?? 1e-5
    let bias = try product.value("bias", constants)?.tensor?.doubles() ?? Array(repeating: 0, count: channels)
    guard gamma.count == channels, beta.count == channels, bias.count == channels,
      norm.inputs["gamma"] == nil || norm.value("gamma", constants) != nil,
      norm.inputs["beta"] == nil || norm.value("beta", constants) != nil
    else { return nil }
    let scale = (0..<channels).map { gamma[$0] / (variance[$0] + epsilon).squareRoot() }
    // Without finite scales, the norm cannot be expressed by scaled weights.
    guard scale.allSatisfy({ Float($0).isFinite }), let scales = try scales(scale, sizes, product, constants) else {
      return nil
    }
    var result = product
    result.inputs["bias"] = [
      .tensor(
        try Tensor(
          .float32, shape: [channels], doubles: (0..<channels).map { (bias[$0] - mean[$0]) * scale[$0] + beta[$0] }))
    ]
    result.outputs = norm.outputs
    result.origins = product.named + norm.named
    return (result, scales)
  }

  /// The scales in the shape of the weights' output channels; nil if the channels do not match.
  private func scales(
    _ scale: [Double], _ sizes: [Int], _ product: Operation, _ constants: [String: Value]
  ) throws -> Tensor? {
    // linear: [C_out, C_in]; conv: [C_out, C_in / groups, ...]; conv_transpose: [C_in, C_out / groups, ...].
    let groups = try product.value("groups", constants)?.tensor?.ints().first ?? 1
    let channelAxis = product.type == "conv_transpose" ? 1 : 0
    guard channelAxis == 0 || groups == 1, sizes[channelAxis] == scale.count, !scale.isEmpty else { return nil }
    var shape = sizes.map { _ in 1 }
    shape[channelAxis] = scale.count
    return try Tensor(.float32, shape: shape, doubles: scale)
  }
}

extension Binding {
  /// The type of a constant tensor, whether or not its elements are known here.
  func constantType(_ types: [String: ValueType], _ stored: Set<String>) -> TensorType? {
    switch self {
    case .literal(let value): value.type.tensor
    case .name(let name): stored.contains(name) ? types[name]?.tensor : nil
    }
  }
}
