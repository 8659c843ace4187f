import CoreMLBase
import CoreMLSpec
import MIL

/// The importers of models that are neither networks nor pipelines.
enum ClassicalModels {
  /// Creates the program of a model that is neither a network nor a pipeline.
  ///
  /// - Parameter surrounding: the features that an enclosing pipeline has computed before the model.
  static func program(
    _ type: Specification.Model.OneOfType, _ description: Specification.ModelDescription, _ kind: String,
    in surrounding: FeaturePool = [:]
  ) throws -> Program {
    try RefusedTypes.refuse(kind)
    let program = try empty(type, description, kind, surrounding)
    switch type {
    case .scaler(let message): try ScalerImport(program: program).add(message)
    case .normalizer(let message): try NormalizerImport(program: program).add(message)
    case .featureVectorizer(let message): try FeatureVectorizerImport(program: program).add(message)
    case .arrayFeatureExtractor(let message): try ArrayFeatureExtractorImport(program: program).add(message)
    case .imputer(let message): try ImputerImport(program: program).add(message)
    case .oneHotEncoder(let message): try EncoderImport(program: program).oneHot(message)
    case .dictVectorizer(let message): try EncoderImport(program: program).dictVectorizer(message)
    case .categoricalMapping(let message): try EncoderImport(program: program).categoricalMapping(message)
    case .glmRegressor(let message): try GeneralizedLinearImport(program: program).regressor(message)
    case .glmClassifier(let message): try GeneralizedLinearImport(program: program).classifier(message)
    case .treeEnsembleRegressor(let message): try TreeEnsembleImport(program: program).regressor(message)
    case .treeEnsembleClassifier(let message): try TreeEnsembleImport(program: program).classifier(message)
    case .supportVectorRegressor(let message): try SupportVectorImport(program: program).regressor(message)
    case .supportVectorClassifier(let message): try SupportVectorImport(program: program).classifier(message)
    case .kNearestNeighborsClassifier(let message): try NearestNeighborsImport(program: program).add(message)
    case .nonMaximumSuppression(let message): try NonMaximumSuppressionImport(program: program).add(message)
    case .itemSimilarityRecommender(let message): try ItemSimilarityImport(program: program).add(message)
    case .bayesianProbitRegressor(let message): try BayesianProbitImport(program: program).add(message)
    case .classConfidenceThresholding: try IdentityImport(program: program).classConfidenceThresholding()
    case .identity: try IdentityImport(program: program).identity()
    case .customModel(let message): try CustomModelImport(program: program).add(message)
    case .soundAnalysisPreprocessing(let message): try SoundAnalysisImport(program: program).add(message)
    default: throw RuntimeError(.unsupported, "models of type \(kind) are not supported")
    }
    return try program.finish()
  }

  /// Creates the program with only its inputs.
  private static func empty(
    _ type: Specification.Model.OneOfType, _ description: Specification.ModelDescription, _ kind: String,
    _ surrounding: FeaturePool
  ) throws -> FeatureProgram {
    switch type {
    case .nonMaximumSuppression(let message):
      try FeatureProgram(
        description, kind, undeclared: [.unknown, .unknown], named: NonMaximumSuppressionImport.named(message),
        surrounding: surrounding)
    case .itemSimilarityRecommender(let message):
      try FeatureProgram(
        description, kind, flagged: ItemSimilarityImport.flagged(message), named: ItemSimilarityImport.named(message),
        surrounding: surrounding)
    case .bayesianProbitRegressor(let message):
      try FeatureProgram(description, kind, named: BayesianProbitImport.named(message), surrounding: surrounding)
    case .featureVectorizer(let message):
      try FeatureProgram(description, kind, named: FeatureVectorizerImport.named(message), surrounding: surrounding)
    case .customModel:
      try FeatureProgram(description, kind, flagged: CustomModelImport.optionalInputs(description))
    default: try FeatureProgram(description, kind)
    }
  }
}
