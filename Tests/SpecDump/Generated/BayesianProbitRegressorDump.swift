// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_BayesianProbitRegressor(_ view: Specification.BayesianProbitRegressor) throws {
    scalar("numberOfFeatures", try view.numberOfFeatures)
    try one("bias", try view.bias) { try Specification_BayesianProbitRegressor_Gaussian($0) }
    try each("features", try view.features) { try Specification_BayesianProbitRegressor_FeatureWeight($0) }
    scalar("regressionInputFeatureName", try view.regressionInputFeatureName)
    scalar("optimismInputFeatureName", try view.optimismInputFeatureName)
    scalar("samplingScaleInputFeatureName", try view.samplingScaleInputFeatureName)
    scalar("samplingTruncationInputFeatureName", try view.samplingTruncationInputFeatureName)
    scalar("meanOutputFeatureName", try view.meanOutputFeatureName)
    scalar("varianceOutputFeatureName", try view.varianceOutputFeatureName)
    scalar("pessimisticProbabilityOutputFeatureName", try view.pessimisticProbabilityOutputFeatureName)
    scalar("sampledProbabilityOutputFeatureName", try view.sampledProbabilityOutputFeatureName)
  }
  func Specification_BayesianProbitRegressor_Gaussian(_ view: Specification.BayesianProbitRegressor.Gaussian) throws {
    scalar("mean", try view.mean)
    scalar("precision", try view.precision)
  }
  func Specification_BayesianProbitRegressor_FeatureValueWeight(_ view: Specification.BayesianProbitRegressor.FeatureValueWeight) throws {
    scalar("featureValue", try view.featureValue)
    try one("featureWeight", try view.featureWeight) { try Specification_BayesianProbitRegressor_Gaussian($0) }
  }
  func Specification_BayesianProbitRegressor_FeatureWeight(_ view: Specification.BayesianProbitRegressor.FeatureWeight) throws {
    scalar("featureId", try view.featureId)
    try each("weights", try view.weights) { try Specification_BayesianProbitRegressor_FeatureValueWeight($0) }
  }
}
