/// All operations that this implementation defines, by name.
package enum Operations {
  static let families: [[OperationDefinition]] = [
    constants, elementwiseUnary, elementwiseBinary,
    reshaping,
    slicing,
    permuting,
    joining,
    making,
    nonMaximumSuppression,
    gatherScatter,
    controlFlow,
    lists,
    convolution,
    pooling,
    linear,
    einsum,
    attention,
    recurrent,
    imageResizing,
    imageSampling,
    fused,
    pointwise,
    quantized,
    fusedAttention,
    activation,
    reduction,
    normalization,
    compression,
    random,
    classifyAndStates,
    neuralNetwork,
    featureTransforms,
    treeEnsemble,
    supportVectors,
    nearestNeighbors,
    recommender,
    custom,
    training,
  ]

  package static let all: [String: OperationDefinition] = Dictionary(
    families.joined().map { ($0.name, $0) },
    uniquingKeysWith: { first, second in
      preconditionFailure("operation \(second.name) is defined twice")
    })

  /// The definition of an operation. Throws an error that names the operation if there is none.
  package static func definition(of operation: Operation) throws -> OperationDefinition {
    guard let definition = all[operation.type] else {
      throw MILError(
        .unknownOperation, "the operation '\(operation.type)' is not supported", operation: operation.label)
    }
    return definition
  }
}
