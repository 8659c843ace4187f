import CoreMLKernels
import MIL

/// Replaces decomposed normalizations over the last axes by one operation. Group norms qualify too, since their groups
/// have been reshaped into the last axes:
///
///     d = x - mean(x);  d * rsqrt(mean(d * d) + epsilon)  * gamma  + beta     =>  layer_norm
///     x * rsqrt(mean(x * x) + epsilon)  * gamma                               =>  fused.rms_norm
///
/// gamma and beta are optional constants along the last axis only. The square may be `square`, `mul` or `pow`, and the
/// root may be a divisor. No other operation may read the intermediate values.
struct FuseNormalizations: Pass {
  private let takesRootMeanSquare: Bool
  private let takesLayer: Bool
  /// The minimum number of rows to fuse a normalization over several axes; nil to never fuse these. Their rows are
  /// long, and each is processed by one thread or one work-group. With few rows, the decomposed operations use all
  /// threads better.
  private let leastRows: Int?

  init(on device: DeviceKind, threads: Int) {
    leastRows = device == .cpu ? (threads + 1) / 2 : nil
    takesRootMeanSquare = !KernelRegistry.implementations(for: "fused.rms_norm", on: device).isEmpty
    takesLayer = !KernelRegistry.implementations(for: "layer_norm", on: device).isEmpty
  }

  func callAsFunction(_ function: Function) throws -> Function {
    let spelling = NormalizationPattern(function)
    var result = function
    var dropped: Set<Int> = []
    for index in function.body.operations.indices {
      guard let found = spelling.normalization(endingAt: index), found.parts.isDisjoint(with: dropped),
        found.isCentered ? takesLayer : takesRootMeanSquare, found.axes == 1 || isShared(found)
      else { continue }
      // The following affine operations, as long as the values between have no other reader.
      var (last, parts) = (index, found.parts)
      var (gamma, beta): (Tensor?, Tensor?)
      if found.axes == 1, let (next, factor) = spelling.vector("mul", after: last) {
        (parts, last, gamma) = (parts.union([last]), next, factor)
      }
      if found.isCentered, found.axes == 1, let (next, shift) = spelling.vector("add", after: last) {
        (parts, last, beta) = (parts.union([last]), next, shift)
      }
      let type = found.type
      let width = type.shape.last?.value ?? 0
      if found.isCentered, beta != nil, gamma == nil {
        gamma = try Tensor(.float32, shape: [width], doubles: Array(repeating: 1, count: width))
      }
      var joined = function.body.operations[last]
      joined.origins = parts.sorted().flatMap { function.body.operations[$0].named } + joined.named
      joined.type = found.isCentered ? "layer_norm" : "fused.rms_norm"
      joined.inputs = ["x": [.name(found.x)], "epsilon": [.float(Float(found.epsilon))]]
      if found.isCentered { joined.inputs["axes"] = [.ints(Array(type.rank - found.axes..<type.rank))] }
      if let gamma { joined.inputs["gamma"] = [.tensor(gamma)] }
      if let beta { joined.inputs["beta"] = [.tensor(beta)] }
      result.body.operations[last] = joined
      dropped.formUnion(parts)
    }
    result.remove(dropped)
    return result
  }

  private func isShared(_ found: NormalizationPattern.Found) -> Bool {
    guard found.isCentered, let leastRows, let shape = found.type.concreteShape else { return false }
    return shape.dropLast(found.axes).reduce(1, *) >= leastRows
  }
}
