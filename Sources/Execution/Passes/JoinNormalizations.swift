import CoreMLKernels
import MIL

/// Puts one operation in the place of the parts that normalisations over the last axis are spelled with:
///
///     d = x - mean(x);  d * rsqrt(mean(d * d) + epsilon)  * gamma  + beta     =>  layer_norm
///     x * rsqrt(mean(x * x) + epsilon)  * gamma                               =>  fused.rms_norm
///
/// gamma and beta are optional constants, the square may be `square`, `mul` or `pow`, and the root may divide. Nobody else may see what lies
/// between.
struct JoinNormalizations: Pass {
  private let takesRootMeanSquare: Bool
  private let takesLayer: Bool

  init(on device: DeviceKind) {
    takesRootMeanSquare = !KernelTable.rows(for: "fused.rms_norm", on: device).isEmpty
    takesLayer = !KernelTable.rows(for: "layer_norm", on: device).isEmpty
  }

  func callAsFunction(_ function: Function) throws -> Function {
    let spelling = NormalizationSpelling(function)
    var result = function
    var dropped: Set<Int> = []
    for index in function.body.operations.indices {
      guard let found = spelling.normalization(endingAt: index), found.parts.isDisjoint(with: dropped),
        found.isCentered ? takesLayer : takesRootMeanSquare
      else { continue }
      // The affine part that follows, as far as nobody sees what it is made of.
      var (last, parts) = (index, found.parts)
      var (gamma, beta): (Tensor?, Tensor?)
      if let (next, factor) = spelling.vector("mul", after: last) {
        (parts, last, gamma) = (parts.union([last]), next, factor)
      }
      if found.isCentered, let (next, shift) = spelling.vector("add", after: last) {
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
      if found.isCentered { joined.inputs["axes"] = [.ints([type.rank - 1])] }
      if let gamma { joined.inputs["gamma"] = [.tensor(gamma)] }
      if let beta { joined.inputs["beta"] = [.tensor(beta)] }
      result.body.operations[last] = joined
      dropped.formUnion(parts)
    }
    result.body.operations = result.body.operations.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    return result
  }
}
