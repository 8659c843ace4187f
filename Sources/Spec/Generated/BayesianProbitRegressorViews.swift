// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.BayesianProbitRegressor`
  package struct BayesianProbitRegressor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var numberOfFeatures: UInt32 { get throws { try message.uint32(1) } }
    package var bias: Specification.BayesianProbitRegressor.Gaussian? { get throws { try message.message(2).map(Specification.BayesianProbitRegressor.Gaussian.init) } }
    package var features: Views<Specification.BayesianProbitRegressor.FeatureWeight> { get throws { try message.views(3, Specification.BayesianProbitRegressor.FeatureWeight.self) } }
    package var regressionInputFeatureName: String { get throws { try message.string(10) } }
    package var optimismInputFeatureName: String { get throws { try message.string(11) } }
    package var samplingScaleInputFeatureName: String { get throws { try message.string(12) } }
    package var samplingTruncationInputFeatureName: String { get throws { try message.string(13) } }
    package var meanOutputFeatureName: String { get throws { try message.string(20) } }
    package var varianceOutputFeatureName: String { get throws { try message.string(21) } }
    package var pessimisticProbabilityOutputFeatureName: String { get throws { try message.string(22) } }
    package var sampledProbabilityOutputFeatureName: String { get throws { try message.string(23) } }
    /// `CoreML.Specification.BayesianProbitRegressor.Gaussian`
    package struct Gaussian: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var mean: Double { get throws { try message.double(1) } }
      package var precision: Double { get throws { try message.double(2) } }
    }
    /// `CoreML.Specification.BayesianProbitRegressor.FeatureValueWeight`
    package struct FeatureValueWeight: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var featureValue: UInt32 { get throws { try message.uint32(1) } }
      package var featureWeight: Specification.BayesianProbitRegressor.Gaussian? { get throws { try message.message(2).map(Specification.BayesianProbitRegressor.Gaussian.init) } }
    }
    /// `CoreML.Specification.BayesianProbitRegressor.FeatureWeight`
    package struct FeatureWeight: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var featureId: UInt32 { get throws { try message.uint32(1) } }
      package var weights: Views<Specification.BayesianProbitRegressor.FeatureValueWeight> { get throws { try message.views(2, Specification.BayesianProbitRegressor.FeatureValueWeight.self) } }
    }
  }
}
