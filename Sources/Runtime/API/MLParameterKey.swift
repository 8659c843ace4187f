/// A parameter of a model or of its training, in a configuration's `parameters`.
public final class MLParameterKey: MLKey, @unchecked Sendable {
  /// How far a step of training goes along the gradient: a number.
  public static let learningRate = MLParameterKey("learningRate")
  /// How much of the step before goes into each step of SGD: a number; 0 for none.
  public static let momentum = MLParameterKey("momentum")
  /// How many examples one step of training learns from.
  public static let miniBatchSize = MLParameterKey("miniBatchSize")
  /// How much of the mean gradient Adam keeps from step to step: a number below 1.
  public static let beta1 = MLParameterKey("beta1")
  /// How much of the mean squared gradient Adam keeps from step to step: a number below 1.
  public static let beta2 = MLParameterKey("beta2")
  /// What Adam adds to its divisor, so that it is never 0: a small number.
  public static let eps = MLParameterKey("eps")
  /// How many times training goes through all examples.
  public static let epochs = MLParameterKey("epochs")
  /// Whether each epoch takes the examples in another order: a boolean.
  public static let shuffle = MLParameterKey("shuffle")
  /// The whole number that the orders of `shuffle` follow from: the same one gives the same orders.
  public static let seed = MLParameterKey("seed")
  /// How many neighbours a nearest-neighbour model asks.
  public static let numberOfNeighbors = MLParameterKey("numberOfNeighbors")
  /// The name of the compiled model that a linked model stands for, with or without `.mlmodelc`.
  public static let linkedModelFileName = MLParameterKey("linkedModelFileName")
  /// The folders in which the linked model is looked for, parted by colons; relative ones begin where the model lies.
  public static let linkedModelSearchPath = MLParameterKey("linkedModelSearchPath")
  /// The weights of a layer that training changes, as a `float32` array; scoped to the layer where there are several.
  public static let weights = MLParameterKey("weights")
  /// The biases of a layer that training changes, as a `float32` array; scoped to the layer where there are several.
  public static let biases = MLParameterKey("biases")

  /// The same parameter of one part of the model: a layer, or a model of a pipeline.
  public func scoped(to scope: String) -> MLParameterKey { MLParameterKey(name, scope: scope) }
}
