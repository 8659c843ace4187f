import Foundation

/// A layer of a neural network whose code is the application's.
///
/// A model names its class (`CustomLayerParams.className`), and `MLCustomLayerRegistry` says which class that is. One object is made for
/// each custom layer when the model is loaded; its methods are never called two at a time, however many predictions run. What they
/// throw comes out as an `MLModelError` (`customLayer`).
public protocol MLCustomLayer: AnyObject {
  /// Makes the object of one layer.
  ///
  /// - Parameter parameters: those of the layer in the model, by name: numbers and booleans as `NSNumber`, text as `String`.
  init(parameters: [String: Any]) throws

  /// Called once, after `init`.
  ///
  /// - Parameter weights: the layer's weights in the model's order, as they are stored: single-precision, half-precision or quantized
  ///   values, little-endian.
  func setWeightData(_ weights: [Data]) throws

  /// The shapes of the outputs for shapes of the inputs: (sequence, batch, channel, height, width), unless the model asks for exact
  /// shapes (`EXACT_ARRAY_MAPPING`). Called when the network is prepared for shapes of its inputs, or while it runs where shapes
  /// depend on values.
  ///
  /// An output has as many axes as the layer's `outputTensor` says, else as the output feature that it is (exact shapes only), else as
  /// the first input.
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]]

  /// Computes the outputs: dense `float32` arrays of the shapes that `outputShapes` gave, all zero. Inputs are dense `float32`
  /// arrays, which must not be changed. No array may be used after the method has returned.
  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws
}
