/// What a caller knows of how a model will be used.
public struct MLOptimizationHints: Equatable, Sendable {
  public enum ReshapeFrequency: Int, Sendable { case frequent, infrequent }
  public enum SpecializationStrategy: Int, Sendable { case `default`, fastPrediction }
  public var reshapeFrequency: ReshapeFrequency = .frequent
  public var specializationStrategy: SpecializationStrategy = .default
  public init() {}
}
