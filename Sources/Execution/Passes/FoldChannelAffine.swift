import MIL

/// Multiplies a `batch_norm` that follows a convolution into the convolution's constant weights and bias:
/// y = gamma (conv(x) - mean) / sqrt(variance + epsilon) + beta.
///
/// Runs on the device's single-precision form, so the stored half-precision weights are never rounded twice.
struct FoldChannelAffine: Pass {
  func callAsFunction(_ function: Function) throws -> Function {
    var result = function
    let uses = Uses(function)
    let constants = function.constants
    var dropped: Set<Int> = []
    for (index, norm) in function.body.operations.enumerated() where norm.type == "batch_norm" {
      guard case .name(let input)? = norm.binding("x"), let maker = uses.maker(of: input),
        uses.onlyReader(of: input) == index,
        !dropped.contains(maker),
        let folded = try fold(norm, into: result.body.operations[maker], constants)
      else { continue }
      // The convolution takes the norm's place, so that its output is defined where it was.
      result.body.operations[index] = folded
      dropped.insert(maker)
    }
    result.body.operations = result.body.operations.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    return result
  }

  private func fold(_ norm: Operation, into conv: Operation, _ constants: [String: Value]) throws -> Operation? {
    guard conv.type == "conv" || conv.type == "conv_transpose",
      let weight = conv.value("weight", constants)?.tensor, weight.scalar == .float32, weight.rank >= 3,
      conv.inputs["bias"] == nil || conv.value("bias", constants) != nil,
      let mean = try norm.value("mean", constants)?.tensor?.doubles(),
      let variance = try norm.value("variance", constants)?.tensor?.doubles(), mean.count == variance.count
    else { return nil }
    let channels = mean.count
    let gamma = try norm.value("gamma", constants)?.tensor?.doubles() ?? Array(repeating: 1, count: channels)
    let beta = try norm.value("beta", constants)?.tensor?.doubles() ?? Array(repeating: 0, count: channels)
    let epsilon = try norm.value("epsilon", constants)?.tensor?.doubles().first ?? 1e-5
    let bias = try conv.value("bias", constants)?.tensor?.doubles() ?? Array(repeating: 0, count: channels)
    guard gamma.count == channels, beta.count == channels, bias.count == channels,
      norm.inputs["gamma"] == nil || norm.value("gamma", constants) != nil,
      norm.inputs["beta"] == nil || norm.value("beta", constants) != nil
    else { return nil }
    let scale = (0..<channels).map { gamma[$0] / (variance[$0] + epsilon).squareRoot() }
    guard let scaled = try scaledWeight(weight, scale, conv, constants) else { return nil }
    var result = conv
    result.inputs["weight"] = [.tensor(scaled)]
    result.inputs["bias"] = [
      .tensor(
        try Tensor(
          .float32, shape: [channels], doubles: (0..<channels).map { (bias[$0] - mean[$0]) * scale[$0] + beta[$0] }))
    ]
    result.outputs = norm.outputs
    result.origins = conv.named + norm.named
    return result
  }

  /// The weights with every output channel multiplied by its scale; nil when channels do not match.
  private func scaledWeight(
    _ weight: Tensor, _ scale: [Double], _ conv: Operation, _ constants: [String: Value]
  ) throws -> Tensor? {
    // conv: [C_out, C_in / groups, ...]; conv_transpose: [C_in, C_out / groups, ...].
    let groups = try conv.value("groups", constants)?.tensor?.ints().first ?? 1
    let isTransposed = conv.type == "conv_transpose"
    guard isTransposed ? groups == 1 && weight.shape[1] == scale.count : weight.shape[0] == scale.count else {
      return nil
    }
    let result = try Tensor.zeros(.float32, shape: weight.shape)
    guard let target = result.storage.mutablePointer?.assumingMemoryBound(to: Float.self) else { return nil }
    let channelAxis = isTransposed ? 1 : 0
    let inner = weight.shape[(channelAxis + 1)...].reduce(1, *)
    weight.withUnsafeBytes { bytes in
      let source = bytes.bindMemory(to: Float.self)
      for index in source.indices {
        target[index] = source[index] * Float(scale[index / inner % scale.count])
      }
    }
    return result
  }
}
