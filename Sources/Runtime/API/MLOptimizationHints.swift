/// What a caller knows of how a model will be used.
public struct MLOptimizationHints: Equatable, Sendable {
  /// How often predictions have inputs of other shapes than the one before.
  public enum ReshapeFrequency: Int, Sendable {
    /// Often: the plans of the last eight shapes are kept.
    case frequent
    /// Seldom: the plans of two are, which takes less memory.
    case infrequent
  }

  /// What loading spends so that predictions are fast.
  public enum SpecializationStrategy: Int, Sendable {
    /// The first prediction of a shape plans it.
    case `default`
    /// Loading plans the declared shape and packs its weights, so that the first prediction is as fast as the others. Where several kernels of
    /// the CPU take an operation they are timed on this machine and the fastest runs. What was timed is kept beside the other caches, for the
    /// next model too; the first time a model takes some seconds longer to load. Shapes that come later are timed where they are said to be
    /// rare (``ReshapeFrequency/infrequent``), by the prediction that brings them.
    case fastPrediction
  }

  /// How exact products are. Apple's framework has no such hint.
  public enum Precision: Int, Sendable {
    /// Products and sums are in single precision, or in the model's own where that is more.
    case `default`
    /// Products with constant weights, and those of attention, may be of brain floating point (eight bits of significand) where the processor
    /// multiplies such numbers faster or waits for reading them; their sums are in single precision.
    case low
  }

  /// How often predictions have inputs of other shapes than the one before.
  public var reshapeFrequency: ReshapeFrequency = .frequent
  /// What loading spends so that predictions are fast.
  public var specializationStrategy: SpecializationStrategy = .default

  /// How exact products are.
  public var precision: Precision = .default

  /// Shapes that change often, and no more work than a prediction needs.
  public init() {}
}
