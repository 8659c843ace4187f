import CoreMLImages
import CoreMLRuntime
import Foundation

/// Features of zeros with declared shapes, to warm a model up and to measure it.
enum SampleFeatures {
  /// Nil if the model has an input for which no value is known to be valid.
  static func features(_ binding: ModelBinding) throws -> MLDictionaryFeatureProvider? {
    var values: [String: MLFeatureValue] = [:]
    for input in binding.inputs {
      guard let value = try value(input.description) else {
        if input.metadata.isOptional { continue }
        return nil
      }
      values[input.name] = value
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }

  private static func value(_ description: MLFeatureDescription) throws -> MLFeatureValue? {
    switch description.type {
    case .multiArray:
      guard let constraint = description.multiArrayConstraint, let shape = shape(constraint) else { return nil }
      return MLFeatureValue(multiArray: try MLMultiArray(shape: shape, dataType: constraint.dataType))
    case .image:
      guard let constraint = description.imageConstraint else { return nil }
      let image = try PixelBuffer(
        width: constraint.pixelsWide, height: constraint.pixelsHigh, pixelFormatType: constraint.pixelFormatType)
      return MLFeatureValue(pixelBuffer: image)
    case .int64: return MLFeatureValue(int64: 0)
    case .double: return MLFeatureValue(double: 0)
    case .string: return MLFeatureValue(string: "")
    case .dictionary, .sequence, .invalid, .state: return nil
    }
  }

  /// The declared shape, if its elements are few enough to allocate without a request.
  private static func shape(_ constraint: MLMultiArrayConstraint) -> [NSNumber]? {
    let shape = constraint.shape.map(\.intValue)
    guard !shape.isEmpty, shape.allSatisfy({ $0 > 0 }), shape.reduce(1.0, { $0 * Double($1) }) < 1e8 else { return nil }
    return constraint.shape
  }
}
