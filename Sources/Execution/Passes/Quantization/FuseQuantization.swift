import CoreMLKernels
import MIL

/// Replaces a `quantize` followed by a `dequantize` with the same parameters, which is how models with quantized
/// activations are written. One operation rounds to the quantization grid in one pass over memory, and may become the
/// epilogue of a product.
///
///     dequantize(quantize(x, s, z), s, z)    =>  steps(x)              s min(max(round(x / s), low - z), high - z)
///     the same of relu(x), relu6(x)          =>  positive_steps(x)     or steps(x), where these have nothing below 0
///
/// If other operations read the quantized value, the `quantize` stays. Only per-tensor scales are handled.
struct FuseQuantization: Pass {
  private let isKnown: Bool

  /// CPU only: division on a GPU need not be correctly rounded, and its quantize and dequantize kernels are as fast.
  init(on device: DeviceKind) { isKnown = device == .cpu }

  func callAsFunction(_ function: Function) -> Function {
    guard isKnown, function.contains("dequantize") else { return function }
    var result = function
    let (uses, constants, types) = (Uses(function), function.constants, function.types)
    let operations = function.body.operations
    var dropped: Set<Int> = []
    // These 8-bit values are needed in any case, so only their `dequantize` remains to be computed.
    let kept = Set(
      operations.lazy.filter { $0.type.hasPrefix("quantized.") }.flatMap(\.inputNames).filter(uses.isPrivate))
    for (index, wide) in operations.enumerated() where wide.type == "dequantize" {
      guard let bytes = wide.binding("input")?.name, let maker = uses.maker(of: bytes),
        operations[maker].type == "quantize", let x = operations[maker].binding("input")?.name,
        let steps = QuantizationParameters(operations[maker], constants),
        steps == QuantizationParameters(wide, constants, as: steps.scalar),
        types[x]?.tensor?.scalar == .float32, wide.outputs.count == 1,
        wide.outputs[0].type.tensor == types[x]?.tensor,
        !kept.contains(bytes)
      else { continue }
      var joined = wide
      var (source, activation) = (x, FusedActivation(.steps, alpha: steps.scale, beta: steps.low))
      joined.origins = operations[maker].named + wide.named
      if uses.onlyReader(of: bytes) == index {
        dropped.insert(maker)
        // Absorb a preceding activation that the clamping repeats or can include.
        if let ramp = uses.maker(of: x), uses.onlyReader(of: x) == maker, operations[ramp].outputs.count == 1,
          let inner = operations[ramp].binding("x")?.name,
          let whole = FusedActivation(mil: operations[ramp], constants).flatMap(steps.following)
        {
          dropped.insert(ramp)
          (source, activation) = (inner, whole)
          joined.origins = operations[ramp].named + joined.origins
        }
      }
      joined.type = "fused.activation"
      joined.inputs = [
        "x": [.name(source)], "activation": [.string(activation.name.rawValue)],
        "alpha": [.float(Float(activation.alpha))], "beta": [.float(Float(activation.beta))],
      ]
      result.body.operations[index] = joined
    }
    result.remove(dropped)
    return result
  }
}

extension QuantizationParameters {
  /// Quantization of the result of `first` as one activation; nil if there is none.
  func following(_ first: FusedActivation) -> FusedActivation? {
    switch first.name {
    case .relu: return positive(high)
    // Rounding is monotonic, so min and rounding can be exchanged.
    case .relu6: return positive(min(high, (6 / scale).rounded(.toNearestOrEven)))
    default: return nil
    }
  }

  private func positive(_ last: Double) -> FusedActivation {
    low >= 0 && last == high
      ? FusedActivation(.steps, alpha: scale, beta: low) : FusedActivation(.positiveSteps, alpha: scale, beta: last)
  }
}
