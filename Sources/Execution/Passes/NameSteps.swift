import CoreMLKernels
import MIL

/// Says of products that their input is steps, where it was quantised before: rows may multiply bytes then.
///
///     conv | linear of steps(x, s) or of what moves them   =>   fused.conv | fused.linear with x_step = s, x_low
struct NameSteps: Pass {
  private let applies: Bool

  init(on device: DeviceKind) { applies = device == .cpu }

  /// What takes and gives the same numbers, some of them, or nothing besides but 0.
  private static let moves: Set<String> = [
    "max_pool", "reshape", "transpose", "squeeze", "expand_dims", "slice_by_index", "slice_by_size", "split",
    "upsample_nearest_neighbor", "pixel_shuffle", "pixel_unshuffle", "space_to_depth", "depth_to_space", "relu",
    "identity",
    "copy",
  ]

  func callAsFunction(_ function: Function) -> Function {
    guard applies else { return function }
    var result = function
    let constants = function.constants
    var steps: [String: Steps] = [:]
    for (index, operation) in function.body.operations.enumerated() {
      if let own = Steps(operation, constants) {
        for output in operation.outputs { steps[output.name] = own }
      } else if Self.moves.contains(operation.type), let x = operation.binding("x")?.name, let same = steps[x] {
        for output in operation.outputs { steps[output.name] = same }
      } else if operation.type == "concat", let all = operation.inputs["values"], let first = all.first?.name,
        let same = steps[first], all.allSatisfy({ $0.name.flatMap { steps[$0] } == same })
      {
        for output in operation.outputs { steps[output.name] = same }
      }
      guard let type = ["conv": "fused.conv", "linear": "fused.linear"][operation.type] ?? fused(operation.type),
        let x = operation.binding("x")?.name, let known = steps[x],
        operation.outputs.first?.type.tensor?.scalar == .float32
      else { continue }
      result.body.operations[index].type = type
      result.body.operations[index].inputs["x_step"] = [.float(Float(known.scale))]
      result.body.operations[index].inputs["x_low"] = [.int(Int(known.low))]
    }
    return result
  }

  private func fused(_ type: String) -> String? { ["fused.conv", "fused.linear"].contains(type) ? type : nil }
}

/// Whole multiples of `scale`, `low` to `low + 255` of them.
private struct Steps: Equatable {
  let scale: Double
  let low: Double

  /// What an operation ends with.
  init?(_ operation: Operation, _ constants: [String: Value]) {
    guard ["fused.activation", "fused.conv", "fused.linear", "fused.affine"].contains(operation.type),
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
