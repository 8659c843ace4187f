import CoreMLKernels
import MIL

/// Annotates products with the quantization parameters of their input, if it was quantized before. Kernels may then
/// multiply in int8.
///
///     conv | linear of steps(x, s) or of a copy of its elements  =>  fused.conv | fused.linear with x_step = s, x_low
struct PropagateQuantization: Pass {
  private let applies: Bool

  init(on device: DeviceKind) { applies = device == .cpu }

  /// Operations whose result has only elements of their input, or 0.
  private static let moves: Set<String> = [
    "reshape", "transpose", "squeeze", "expand_dims", "slice_by_index", "slice_by_size", "split", "relu", "identity",
    "upsample_nearest_neighbor", "pixel_shuffle", "pixel_unshuffle", "space_to_depth", "depth_to_space",
  ]

  private static let products: Set<String> = ["conv", "linear", "fused.conv", "fused.linear"]

  func callAsFunction(_ function: Function) -> Function {
    guard applies else { return function }
    var result = function
    let (constants, types) = (function.constants, function.types)
    var steps: [String: Steps] = [:]
    for (index, operation) in function.body.operations.enumerated() {
      if let own = Steps(operation, constants) ?? Steps(ofBytes: operation, types, constants) {
        for output in operation.outputs { steps[output.name] = own }
      } else if Self.moves.contains(operation.type) || Self.isInside(operation, constants),
        let x = operation.binding("x")?.name, let same = steps[x]
      {
        for output in operation.outputs { steps[output.name] = same }
      } else if operation.type == "concat", let all = operation.inputs["values"], let first = all.first?.name,
        let same = steps[first], all.allSatisfy({ $0.name.flatMap { steps[$0] } == same })
      {
        for output in operation.outputs { steps[output.name] = same }
      }
      guard Self.products.contains(operation.type), let x = operation.binding("x")?.name, let known = steps[x],
        operation.outputs.first?.type.tensor?.scalar == .float32
      else { continue }
      if !operation.type.hasPrefix("fused.") { result.body.operations[index].type = "fused." + operation.type }
      result.body.operations[index].inputs["x_step"] = [.float(Float(known.scale))]
      result.body.operations[index].inputs["x_low"] = [.int(Int(known.low))]
    }
    return result
  }

  /// Whether each window of a pooling contains at least one input element. Other windows give a value that is not on
  /// the quantization grid.
  static func isInside(_ operation: Operation, _ constants: [String: Value]) -> Bool {
    guard operation.type == "max_pool" else { return false }
    func numbers(_ parameter: String) -> [Double]? {
      operation.value(parameter, constants)?.tensor.flatMap { try? $0.doubles() }
    }
    if operation.inputs["ceil_mode"] != nil, numbers("ceil_mode") != [0] { return false }
    guard let sizes = numbers("kernel_sizes"),
      let words = operation.value("pad_type", constants)?.tensor.flatMap({ try? $0.strings() })
    else { return false }
    guard words == ["custom"] else { return true }
    guard operation.inputs["pad"] != nil else { return true }
    guard let pads = numbers("pad"), pads.count == 2 * sizes.count else { return false }
    return pads.indices.allSatisfy { pads[$0] < sizes[$0 / 2] }
  }
}

/// Integer multiples of `scale`, from `low` to `low + 255`.
private struct Steps: Equatable {
  let scale: Double
  let low: Double

  /// The parameters of a dequantized value.
  init?(ofBytes operation: Operation, _ types: [String: ValueType], _ constants: [String: Value]) {
    guard operation.type == "dequantize", let input = operation.binding("input")?.name,
      let scalar = types[input]?.tensor?.scalar,
      let steps = QuantizationParameters(operation, constants, as: scalar)
    else { return nil }
    (scale, low) = (steps.scale, steps.low)
  }

  /// The parameters of an operation's final quantization.
  init?(_ operation: Operation, _ constants: [String: Value]) {
    guard
      ["fused.activation", "fused.conv", "fused.linear", "fused.affine", "quantized.conv"].contains(operation.type),
      let name = try? operation.value("activation", constants)?.tensor?.strings().first,
      let alpha = operation.value("alpha", constants)?.tensor.flatMap({ try? $0.doubles().first }),
      let beta = operation.value("beta", constants)?.tensor.flatMap({ try? $0.doubles().first })
    else { return nil }
    switch FusedActivation.Name(rawValue: name) {
    case .steps: (scale, low) = (alpha, beta)
    case .positiveSteps: (scale, low) = (alpha, 0)
    default: return nil
    }
  }
}
