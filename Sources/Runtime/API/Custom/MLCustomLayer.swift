import Foundation

/// A layer of a neural network that the application implements.
///
/// A model names the class (`CustomLayerParams.className`), and `MLCustomLayerRegistry` maps the name to a Swift type.
/// Loading a model creates one object for each custom layer. The runtime never calls two methods of one object
/// concurrently, even if several predictions run. An error that a method throws is reported as an `MLModelError`
/// (`customLayer`).
public protocol MLCustomLayer: AnyObject {
  /// Creates the object of one layer.
  ///
  /// - Parameter parameters: the layer's parameters in the model, by name: numbers and booleans as `NSNumber`, text as
  ///   `String`.
  init(parameters: [String: Any]) throws

  /// Called once, after `init`.
  ///
  /// - Parameter weights: the layer's weights in the model's order, as they are stored: fp32, fp16 or quantized values,
  ///   little-endian.
  func setWeightData(_ weights: [Data]) throws

  /// Returns the shapes of the outputs for the shapes of the inputs. A shape is (sequence, batch, channel, height,
  /// width), unless the model uses exact shapes (`EXACT_ARRAY_MAPPING`). The runtime calls this method when it plans
  /// the network for its input shapes. If shapes depend on values, it calls the method during the prediction.
  ///
  /// The layer's `outputTensor` gives the rank of an output. Without it, an output that is also a feature of the model
  /// has the feature's rank (exact shapes only). Any other output has the rank of the first input.
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]]

  /// Computes the outputs. They are dense `float32` arrays, filled with zeros, of the shapes that `outputShapes`
  /// returned. Inputs are dense `float32` arrays and must not be changed. No array may be used after the method has
  /// returned.
  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws
}
