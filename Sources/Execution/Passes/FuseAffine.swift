import CoreMLKernels
import MIL

/// Fuses a `batch_norm` that no convolution has absorbed with the activation that follows it, for one pass over memory.
/// Networks whose norms precede their convolutions (DenseNet, ResNet v2) have many of these.
///
///     activation(batch_norm(x))   =>   fused.affine(x, mean, gamma / sqrt(variance + epsilon), beta, activation)
struct FuseAffine: Pass {
  private let isKnown: Bool

  init(on device: DeviceKind) { isKnown = !KernelRegistry.implementations(for: "fused.affine", on: device).isEmpty }

  func callAsFunction(_ function: Function) throws -> Function {
    guard isKnown, function.contains("batch_norm") else { return function }
    var result = function
    let (uses, constants) = (Uses(function), function.constants)
    var dropped: Set<Int> = []
    for (index, norm) in function.body.operations.enumerated() where norm.type == "batch_norm" {
      guard norm.outputs.count == 1, let next = uses.onlyReader(of: norm.outputs[0].name),
        case let follower = function.body.operations[next], follower.outputs.count == 1,
        follower.binding("x")?.name == norm.outputs[0].name, let x = norm.inputs["x"],
        let activation = FusedActivation(mil: follower, constants),
        follower.outputs[0].type.tensor == norm.outputs[0].type.tensor,
        let factors = try Self.factors(norm, constants)
      else { continue }
      var fused = follower
      fused.type = "fused.affine"
      fused.origins = norm.named + follower.named
      fused.inputs = factors.mapValues { [.tensor($0)] }
      fused.inputs["x"] = x
      fused.inputs["activation"] = [.string(activation.name.rawValue)]
      fused.inputs["alpha"] = [.float(Float(activation.alpha))]
      fused.inputs["beta"] = [.float(Float(activation.beta))]
      result.body.operations[next] = fused
      dropped.insert(index)
    }
    result.remove(dropped)
    return result
  }

  /// The constants of the fused operation; nil if any parameter of the norm is only known at run time.
  static func factors(_ norm: Operation, _ constants: [String: Value]) throws -> [String: Tensor]? {
    func numbers(_ parameter: String, default value: Double, count: Int) throws -> [Double]? {
      guard norm.inputs[parameter] != nil else { return Array(repeating: value, count: count) }
      return try norm.value(parameter, constants)?.tensor?.doubles()
    }
    guard let mean = try norm.value("mean", constants)?.tensor?.doubles(),
      let variance = try norm.value("variance", constants)?.tensor?.doubles(),
      let gamma = try numbers("gamma", default: 1, count: mean.count),
      let beta = try numbers("beta", default: 0, count: mean.count),
      let epsilon = try numbers("epsilon", default: 1e-5, count: 1)?.first,
      norm.outputs[0].type.tensor?.scalar == .float32,
      Set([variance.count, gamma.count, beta.count]) == [mean.count]
    else { return nil }
    func vector(_ values: [Double]) throws -> Tensor { try Tensor(.float32, shape: [values.count], doubles: values) }
    return [
      "center": try vector(mean), "shift": try vector(beta),
      "scale": try vector(zip(gamma, variance).map { $0 / ($1 + epsilon).squareRoot() }),
    ]
  }
}
