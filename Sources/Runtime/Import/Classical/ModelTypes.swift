import CoreMLSpec
import MIL

extension FeatureProgram {
  /// The program of a model that is neither a network nor a pipeline.
  static func program(
    _ type: Specification.Model.OneOfType, _ description: Specification.ModelDescription, _ kind: String
  ) throws -> Program {
    var program = try FeatureProgram(description, kind)
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
    default: throw RuntimeError(.unsupported, "models of type \(kind) are not supported")
    }
    return try program.finish()
  }
}
