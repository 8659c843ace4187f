/// All operations that this implementation defines, by name.
package enum Operations {
  static let families: [[OperationDefinition]] = [
    ConstantOperations.all,
    ElementwiseUnaryOperations.all,
    ElementwiseBinaryOperations.all,
    ReshapingOperations.all,
    SlicingOperations.all,
    PermutingOperations.all,
    ConcatOperations.all,
    CreationOperations.all,
    NonMaximumSuppressionOperations.all,
    GatherScatterOperations.all,
    ControlFlowOperations.all,
    ListOperations.all,
    ConvolutionOperations.all,
    PoolingOperations.all,
    LinearOperations.all,
    EinsumOperations.all,
    AttentionOperations.all,
    RecurrentOperations.all,
    ImageResizingOperations.all,
    ImageSamplingOperations.all,
    FusedOperations.all,
    PointwiseOperations.all,
    QuantizedOperations.all,
    FusedAttentionOperations.all,
    ActivationOperations.all,
    ReductionOperations.all,
    NormalizationOperations.all,
    CompressionOperations.all,
    RandomOperations.all,
    ClassifierAndStateOperations.all,
    NeuralNetworkOperations.all,
    FeatureTransformOperations.all,
    TreeEnsembleOperations.all,
    SupportVectorOperations.all,
    NearestNeighborOperations.all,
    RecommenderOperations.all,
    CustomOperations.all,
    TrainingOperations.all,
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
