// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.BayesianProbitRegressor`
  public struct BayesianProbitRegressor: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var numberOfFeatures: UInt32 { get throws { try message.uint32(1) } }
    public var bias: Specification.BayesianProbitRegressor.Gaussian? { get throws { try message.message(2).map(Specification.BayesianProbitRegressor.Gaussian.init) } }
    public var features: Views<Specification.BayesianProbitRegressor.FeatureWeight> { get throws { try message.views(3, Specification.BayesianProbitRegressor.FeatureWeight.self) } }
    public var regressionInputFeatureName: String { get throws { try message.string(10) } }
    public var optimismInputFeatureName: String { get throws { try message.string(11) } }
    public var samplingScaleInputFeatureName: String { get throws { try message.string(12) } }
    public var samplingTruncationInputFeatureName: String { get throws { try message.string(13) } }
    public var meanOutputFeatureName: String { get throws { try message.string(20) } }
    public var varianceOutputFeatureName: String { get throws { try message.string(21) } }
    public var pessimisticProbabilityOutputFeatureName: String { get throws { try message.string(22) } }
    public var sampledProbabilityOutputFeatureName: String { get throws { try message.string(23) } }
    /// `CoreML.Specification.BayesianProbitRegressor.Gaussian`
    public struct Gaussian: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var mean: Double { get throws { try message.double(1) } }
      public var precision: Double { get throws { try message.double(2) } }
    }
    /// `CoreML.Specification.BayesianProbitRegressor.FeatureValueWeight`
    public struct FeatureValueWeight: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var featureValue: UInt32 { get throws { try message.uint32(1) } }
      public var featureWeight: Specification.BayesianProbitRegressor.Gaussian? { get throws { try message.message(2).map(Specification.BayesianProbitRegressor.Gaussian.init) } }
    }
    /// `CoreML.Specification.BayesianProbitRegressor.FeatureWeight`
    public struct FeatureWeight: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var featureId: UInt32 { get throws { try message.uint32(1) } }
      public var weights: Views<Specification.BayesianProbitRegressor.FeatureValueWeight> { get throws { try message.views(2, Specification.BayesianProbitRegressor.FeatureValueWeight.self) } }
    }
  }
}
