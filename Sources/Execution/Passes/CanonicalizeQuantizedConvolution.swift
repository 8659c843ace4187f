import CoreMLKernels
import MIL

/// Rewrites `conv_quantized` as a convolution with weights stored as 8-bit integers, so that all convolution passes
/// apply to it:
///
///     weight s + b   =>   constexpr_blockwise_shift_scale(weight, s, -b / s)
///
/// CPU only, since its kernels decode stored weights while they pack them. An operation without a finite offset, for
/// example with a scale of 0, is unchanged.
struct CanonicalizeQuantizedConvolution: Pass {
  private let applies: Bool

  init(on device: DeviceKind) { applies = device == .cpu }

  func callAsFunction(_ function: Function) throws -> Function {
    guard applies, function.contains("conv_quantized") else { return function }
    var result = function
    let (constants, types, stored) = (function.constants, function.types, function.constantNames)
    var names = FreshNames(function)
    result.body.operations = try function.body.operations.flatMap { operation in
      guard operation.type == "conv_quantized", let weight = operation.binding("weight"),
        let type = weight.constantType(types, stored), type.scalar == .uint8 || type.scalar == .int8,
        let sizes = type.concreteShape, let channels = sizes.first,
        let (scale, offset) = try affine(operation, channels, rank: sizes.count, constants),
        operation.outputs.first?.type.tensor?.scalar == .float32
      else { return [operation] }
      let wide = names.name((operation.outputs.first?.name ?? operation.type) + "__weight")
      var conv = operation
      conv.type = "conv"
      for parameter in ["quantization_type", "nbits", "quant_scale", "quant_bias"] { conv.inputs[parameter] = nil }
      conv.inputs["weight"] = [.name(wide)]
      conv.origins = operation.named
      return [
        Operation(
          "constexpr_blockwise_shift_scale",
          inputs: ["data": [weight], "scale": [.tensor(scale)], "offset": [.tensor(offset)]],
          outputs: [NamedType(wide, .tensor(type.with(scalar: .float32)))], origins: operation.named), conv,
      ]
    }
    return result
  }

  /// The scales of the output channels, and the offsets that are subtracted from the integers first.
  private func affine(
    _ operation: Operation, _ channels: Int, rank: Int, _ constants: [String: Value]
  ) throws -> (Tensor, Tensor)? {
    func numbers(_ parameter: String) throws -> [Double]? {
      guard let values = try operation.value(parameter, constants)?.tensor?.doubles(),
        values.count == channels || values.count == 1
      else { return nil }
      return values.count == channels ? values : Array(repeating: values[0], count: channels)
    }
    guard let scales = try numbers("quant_scale"), let biases = try numbers("quant_bias") else { return nil }
    let offsets = zip(scales, biases).map { -$1 / $0 }
    guard scales.allSatisfy(\.isFinite), offsets.allSatisfy({ Float($0).isFinite }) else { return nil }
    let shape = [channels] + Array(repeating: 1, count: rank - 1)
    return (
      try Tensor(.float32, shape: shape, doubles: scales),
      try Tensor(.float32, shape: shape, doubles: offsets)
    )
  }
}
