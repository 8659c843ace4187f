import CoreMLKernels
import MIL

/// Evaluates small operations with only constant arguments while the network is lowered. So the type rules of later
/// layers know the shapes, axes and counts that a network computes from constants.
extension NetworkGraph {
  private static let largestFold = 4096

  /// The results of an operation if all arguments are constants; nil otherwise, or if the result is large.
  func folded(_ type: String, _ inputs: [String: [Binding]]) throws -> [Value]? {
    guard let definition = Operations.all[type], definition.isPure, !type.hasPrefix("constexpr_") else { return nil }
    let operation = Operation(type, inputs: inputs, outputs: [NamedType(layer.name, .open)])
    let invocation = try builder.scope.invocation(of: operation)
    guard invocation.values.values.allSatisfy({ $0.allSatisfy { $0 != nil } }) else { return nil }
    let types = try builder.scope.outputTypes(of: operation)
    let size = types.reduce(0) { $0 + ($1.tensor?.byteCount ?? Self.largestFold) }
    guard size < Self.largestFold else { return nil }
    return try KernelRegistry.evaluate(invocation, pool: ThreadPool.caller)
  }
}
