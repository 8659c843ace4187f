import CoreMLKernels
import MIL

/// Rewrites a multiplication and an addition with per-channel constants as `batch_norm`. They occur after group norms,
/// and where a model contains decomposed norms. A convolution can then absorb the norm, or the norm can absorb a
/// following activation.
///
///     x * gamma + beta   =>   batch_norm(x, mean 0, variance 1, gamma, beta, epsilon 0)
struct CanonicalizeChannelAffine: Pass {
  private let isKnown: Bool

  init(on device: DeviceKind) {
    isKnown = ["batch_norm", "fused.affine"].allSatisfy { !KernelRegistry.implementations(for: $0, on: device).isEmpty }
  }

  func callAsFunction(_ function: Function) throws -> Function {
    guard isKnown, function.contains("mul"), function.contains("add") else { return function }
    var result = function
    let (uses, constants, types) = (Uses(function), function.constants, function.types)
    var dropped: Set<Int> = []
    for (index, product) in function.body.operations.enumerated() where product.type == "mul" {
      guard product.outputs.count == 1, let next = uses.onlyReader(of: product.outputs[0].name),
        case let sum = function.body.operations[next], sum.type == "add", sum.outputs.count == 1,
        let (x, gamma) = try factor(of: product, constants, types),
        let (y, beta) = try factor(of: sum, constants, types), y == product.outputs[0].name
      else { continue }
      let channels = gamma.count
      var norm = sum
      norm.type = "batch_norm"
      norm.origins = product.named + sum.named
      func vector(_ values: [Double]) throws -> [Binding] {
        [.tensor(try Tensor(.float32, shape: [channels], doubles: values))]
      }
      norm.inputs = [
        "x": [.name(x)], "mean": try vector(Array(repeating: 0, count: channels)),
        "variance": try vector(Array(repeating: 1, count: channels)), "gamma": try vector(gamma),
        "beta": try vector(beta), "epsilon": [.float(0)],
      ]
      result.body.operations[next] = norm
      dropped.insert(index)
    }
    result.remove(dropped)
    return result
  }

  /// The other operand, and the per-channel constants that it is multiplied with or added to; nil for any other
  /// operation.
  private func factor(
    of operation: Operation, _ constants: [String: Value], _ types: [String: ValueType]
  ) throws -> (String, [Double])? {
    guard let whole = operation.outputs[0].type.tensor, whole.scalar == .float32, whole.rank >= 3 else { return nil }
    for (one, other) in [("x", "y"), ("y", "x")] {
      // Asks for sizes last: most operands are no constants, and most sizes may vary.
      guard let name = operation.binding(one)?.name, let values = operation.value(other, constants)?.tensor,
        values.scalar == .float32, case let channels = values.count, channels > 1,
        // Broadcasting aligns axes from the last one. The batch axis in front of the channels may be missing.
        values.rank <= whole.rank, values.rank >= whole.rank - 1,
        values.shape[values.rank - whole.rank + 1] == channels,
        whole.shape[1] == Dimension(channels), types[name]?.tensor == whole
      else { continue }
      return (name, try values.doubles())
    }
    return nil
  }
}
