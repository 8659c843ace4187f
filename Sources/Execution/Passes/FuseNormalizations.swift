import CoreMLKernels
import MIL

/// Puts one operation in the place of the parts that normalisations over the last axes are spelled with (those of groups of channels too, which
/// have been reshaped to be the last ones):
///
///     d = x - mean(x);  d * rsqrt(mean(d * d) + epsilon)  * gamma  + beta     =>  layer_norm
///     x * rsqrt(mean(x * x) + epsilon)  * gamma                               =>  fused.rms_norm
///
/// gamma and beta are optional constants of the last axis alone, the square may be `square`, `mul` or `pow`, and the root may divide. Nobody else may see what lies
/// between.
struct FuseNormalizations: Pass {
  private let takesRootMeanSquare: Bool
  private let takesLayer: Bool
  /// Rows below which normalisations over several axes stay in parts: a row of theirs is long, and is worked on by one thread, or one group of a
  /// device, where each of the parts is shared by all.
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
      // The affine part that follows, as far as nobody sees what it is made of.
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
    result.body.operations = result.body.operations.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    return result
  }

  private func isShared(_ found: NormalizationPattern.Found) -> Bool {
    guard found.isCentered, let leastRows, let shape = found.type.concreteShape else { return false }
    return shape.dropLast(found.axes).reduce(1, *) >= leastRows
  }
}
