import CoreMLBase
import CoreMLSpec
import MIL

extension FeatureProgram {
  /// Creates the program of a model that is neither a network nor a pipeline.
  ///
  /// - Parameter surrounding: the features that an enclosing pipeline has computed before the model.
  static func program(
    _ type: Specification.Model.OneOfType, _ description: Specification.ModelDescription, _ kind: String,
    in surrounding: FeaturePool = [:]
  ) throws -> Program {
    try RefusedTypes.refuse(kind)
    var program = try empty(type, description, kind, surrounding)
    switch type {
    case .scaler(let message): try program.scaler(message)
    case .normalizer(let message): try program.normalizer(message)
    case .featureVectorizer(let message): try program.featureVectorizer(message)
    case .arrayFeatureExtractor(let message): try program.arrayFeatureExtractor(message)
    case .imputer(let message): try program.imputer(message)
    case .oneHotEncoder(let message): try program.oneHotEncoder(message)
    case .dictVectorizer(let message): try program.dictVectorizer(message)
    case .categoricalMapping(let message): try program.categoricalMapping(message)
    case .glmRegressor(let message): try program.glmRegressor(message)
    case .glmClassifier(let message): try program.glmClassifier(message)
    case .treeEnsembleRegressor(let message): try program.treeEnsembleRegressor(message)
    case .treeEnsembleClassifier(let message): try program.treeEnsembleClassifier(message)
    case .supportVectorRegressor(let message): try program.supportVectorRegressor(message)
    case .supportVectorClassifier(let message): try program.supportVectorClassifier(message)
    case .kNearestNeighborsClassifier(let message): try program.nearestNeighbors(message)
    case .nonMaximumSuppression(let message): try program.nonMaximumSuppression(message)
    case .itemSimilarityRecommender(let message): try program.itemSimilarity(message)
    case .bayesianProbitRegressor(let message): try program.bayesianProbit(message)
    case .classConfidenceThresholding: try program.classConfidenceThresholding()
    case .identity: try program.identity()
    case .customModel(let message): try program.custom(message)
    case .soundAnalysisPreprocessing(let message): try program.soundAnalysis(message)
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
        description, kind, undeclared: [.unknown, .unknown], named: named(message), surrounding: surrounding)
    case .itemSimilarityRecommender(let message):
      try FeatureProgram(
        description, kind, flagged: flagged(message), named: named(message), surrounding: surrounding)
    case .bayesianProbitRegressor(let message):
      try FeatureProgram(description, kind, named: named(message), surrounding: surrounding)
    case .featureVectorizer(let message):
      try FeatureProgram(description, kind, named: named(message), surrounding: surrounding)
    case .customModel:
      try FeatureProgram(description, kind, flagged: optionalInputs(description))
    default: try FeatureProgram(description, kind)
    }
  }
}
