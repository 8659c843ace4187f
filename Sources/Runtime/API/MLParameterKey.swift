/// The key of a parameter of a model or its training, in a configuration's `parameters`.
public final class MLParameterKey: MLKey, @unchecked Sendable {
  /// The learning rate of training: a number.
  public static let learningRate = MLParameterKey("learningRate")
  /// The momentum of SGD: a number; 0 turns it off.
  public static let momentum = MLParameterKey("momentum")
  /// The number of examples of a training step (mini-batch).
  public static let miniBatchSize = MLParameterKey("miniBatchSize")
  /// The decay rate of Adam's first-moment estimate: a number below 1.
  public static let beta1 = MLParameterKey("beta1")
  /// The decay rate of Adam's second-moment estimate: a number below 1.
  public static let beta2 = MLParameterKey("beta2")
  /// The small number that Adam adds to the denominator to avoid a division by 0.
  public static let eps = MLParameterKey("eps")
  /// The number of passes of training over all examples.
  public static let epochs = MLParameterKey("epochs")
  /// Whether training shuffles the examples in each epoch: a boolean.
  public static let shuffle = MLParameterKey("shuffle")
  /// The integer seed of `shuffle`. Equal seeds give equal orders.
  public static let seed = MLParameterKey("seed")
  /// The number of neighbors of a nearest-neighbor model (`k`).
  public static let numberOfNeighbors = MLParameterKey("numberOfNeighbors")
  /// The name of the compiled model that a linked model refers to, with or without `.mlmodelc`.
  public static let linkedModelFileName = MLParameterKey("linkedModelFileName")
  /// The folders in which to search for the linked model, separated by colons. Relative paths are relative to the
  /// folder of the model.
  public static let linkedModelSearchPath = MLParameterKey("linkedModelSearchPath")
  /// The weights of an updatable layer, as a `float32` array. Scoped to the layer if there are several.
  public static let weights = MLParameterKey("weights")
  /// The biases of an updatable layer, as a `float32` array. Scoped to the layer if there are several.
  public static let biases = MLParameterKey("biases")

  /// The same parameter of one part of the model: a layer, or a sub-model of a pipeline.
  public func scoped(to scope: String) -> MLParameterKey { MLParameterKey(name, scope: scope) }
}
