/// A parameter of a model or of its training, in a configuration's `parameters`.
public final class MLParameterKey: MLKey, @unchecked Sendable {
  public static let learningRate = MLParameterKey("learningRate")
  public static let momentum = MLParameterKey("momentum")
  public static let miniBatchSize = MLParameterKey("miniBatchSize")
  public static let beta1 = MLParameterKey("beta1")
  public static let beta2 = MLParameterKey("beta2")
  public static let eps = MLParameterKey("eps")
  public static let epochs = MLParameterKey("epochs")
  public static let shuffle = MLParameterKey("shuffle")
  public static let seed = MLParameterKey("seed")
  public static let numberOfNeighbors = MLParameterKey("numberOfNeighbors")
  public static let linkedModelFileName = MLParameterKey("linkedModelFileName")
  public static let linkedModelSearchPath = MLParameterKey("linkedModelSearchPath")
  public static let weights = MLParameterKey("weights")
  public static let biases = MLParameterKey("biases")

  /// The same parameter of one part of the model: a layer, or a model of a pipeline.
  public func scoped(to scope: String) -> MLParameterKey { MLParameterKey(name, scope: scope) }
}
