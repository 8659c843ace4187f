import CoreMLKernels
import MIL

/// Leaves out the bytes between a `quantize` and the `dequantize` of its result, which is how models with quantised activations are
/// written: one pass over memory that rounds to the same steps, and that may end a product.
///
///     dequantize(quantize(x, s, z), s, z)    =>  steps(x)              s min(max(round(x / s), low - z), high - z)
///     the same of relu(x), relu6(x)          =>  positive_steps(x)     or steps(x), where these have nothing below 0
///
/// What else reads the bytes keeps them. One scale for all of the tensor only; more of them stay two operations.
struct FuseQuantization: Pass {
  private let isKnown: Bool

  /// Processors only: a device's division need not round correctly, and its rows of bytes are as fast.
  init(on device: DeviceKind) { isKnown = device == .cpu }

  func callAsFunction(_ function: Function) -> Function {
    guard isKnown, function.body.operations.contains(where: { $0.type == "dequantize" }) else { return function }
    var result = function
    let (uses, constants, types) = (Uses(function), function.constants, function.types)
    let operations = function.body.operations
    var dropped: Set<Int> = []
    // Bytes that are kept are there, and half of the work is done.
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
        // An activation that the steps make again, or that they end as.
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
    result.body.operations = result.body.operations.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    return result
  }
}

extension QuantizationParameters {
  /// The steps of what `first` gives, as one function; nil where there is none.
  func following(_ first: FusedActivation) -> FusedActivation? {
    switch first.name {
    case .relu: return positive(high)
    // Rounding keeps an order: the lesser of two numbers has the lesser step.
    case .relu6: return positive(min(high, (6 / scale).rounded(.toNearestOrEven)))
    default: return nil
    }
  }

  private func positive(_ last: Double) -> FusedActivation {
    low >= 0 && last == high
      ? FusedActivation(.steps, alpha: scale, beta: low) : FusedActivation(.positiveSteps, alpha: scale, beta: last)
  }
}
