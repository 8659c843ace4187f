/// Hints about how a model will be used.
public struct MLOptimizationHints: Equatable, Sendable {
  /// How often the shapes of a prediction's inputs differ from those of the previous one.
  public enum ReshapeFrequency: Int, Sendable {
    /// Often: the model keeps the plans of the last eight shapes.
    case frequent
    /// Seldom: the model keeps the plans of the last two shapes, which takes less memory.
    case infrequent
  }

  /// How much work loading does to make predictions fast.
  public enum SpecializationStrategy: Int, Sendable {
    /// The first prediction of each shape plans it.
    case `default`
    /// Loading plans the declared shapes and packs the weights, so the first prediction is as fast as later ones.
    ///
    /// If several CPU kernels match an operation, loading times them on this machine and selects the fastest. The
    /// timings are cached on disk with the other caches and used for later models too. The first load takes some
    /// seconds longer. Shapes that appear later are timed only if they are declared to be rare
    /// (``ReshapeFrequency/infrequent``), by the first prediction that uses them.
    case fastPrediction
  }

  /// The precision of matrix multiplications. Apple's framework has no such hint.
  public enum Precision: Int, Sendable {
    /// Matrix multiplications use fp32, or the model's own type if that is more precise.
    case `default`
    /// Matrix multiplications with constant weights, and those of attention, may use bf16 (8 bits of significand). The
    /// runtime uses bf16 where the processor multiplies it faster, or where reading the weights is the bottleneck.
    /// Accumulation is in fp32.
    case low
  }

  /// How often the shapes of a prediction's inputs differ from those of the previous one.
  public var reshapeFrequency: ReshapeFrequency = .frequent
  /// How much work loading does to make predictions fast.
  public var specializationStrategy: SpecializationStrategy = .default

  /// The precision of matrix multiplications.
  public var precision: Precision = .default

  /// Creates hints with default values: shapes change often, and loading does no extra work.
  public init() {}
}
