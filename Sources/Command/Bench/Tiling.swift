import CoreML
import CoreMLBase
import CoreMLImages
import CoreMLRuntime
import FeatureFiles
import Foundation

/// Makes a batch from the arrays of one row.
enum Tiling {
  /// The arrays of an `.npz`. An array is repeated along the one axis where the model declares `times` times its size.
  /// Also returns whether any array was repeated.
  static func features(
    _ path: String, _ reader: FeatureReader, times: Int
  ) throws -> (features: [String: MLFeatureValue], isTiled: Bool) {
    var isTiled = false
    var arrays = try NPZ.read(path)
    for (name, array) in arrays {
      let declared = try reader.declared(name)
      guard let shape = declared.multiArrayConstraint?.shape.map(\.intValue), shape.count == array.shape.count,
        shape != array.shape,
        let axis = shape.indices.first(where: { shape[$0] == Self.product(array.shape[$0], times) }),
        shape.indices.allSatisfy({ $0 == axis || shape[$0] == array.shape[$0] })
      else { continue }
      guard let bytes = product(array.bytes.count, times), bytes <= RuntimeLimits.processMemory else {
        throw Failure(
          .temporary,
          "\(path): '\(name)' \(times) times needs more than the \(Console.bytes(RuntimeLimits.processMemory)) of memory that may be held"
        )
      }
      arrays[name] = repeated(array, axis: axis, times: times)
      isTiled = true
    }
    return (try reader.features(arrays, path), isTiled)
  }

  private static func product(_ a: Int, _ b: Int) -> Int? {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? nil : product
  }

  private static func repeated(_ array: NPYArray, axis: Int, times: Int) -> NPYArray {
    let inner = array.shape[axis...].reduce(array.element.size, *)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(array.bytes.count * times)
    for start in stride(from: 0, to: array.bytes.count, by: max(inner, 1)) {
      for _ in 0..<times { bytes += array.bytes[start..<(start + inner)] }
    }
    var shape = array.shape
    shape[axis] *= times
    return NPYArray(array.element, shape: shape, bytes: bytes)
  }
}

/// Values for a model if the user gives none: small numbers that are the same in each run, medium gray, the word
/// "text".
enum MadeUpFeatures {
  /// - Parameter shapes: Shapes of inputs that differ from the declared shapes.
  static func features(
    of description: MLModelDescription, shapes: [String: [Int]] = [:]
  ) throws -> [String: MLFeatureValue] {
    var features: [String: MLFeatureValue] = [:]
    for (name, feature) in description.inputDescriptionsByName where !feature.isOptional || shapes[name] != nil {
      features[name] = try value(of: feature, shapes[name])
    }
    return features
  }

  private static func value(of feature: MLFeatureDescription, _ shape: [Int]?) throws -> MLFeatureValue? {
    switch feature.type {
    case .int64: return MLFeatureValue(int64: 1)
    case .double: return MLFeatureValue(double: 0.5)
    case .string: return MLFeatureValue(string: "text")
    case .dictionary: return try MLFeatureValue(dictionary: [:])
    case .sequence:
      return MLFeatureValue(
        sequence: MLSequence(empty: feature.sequenceConstraint?.valueDescription.type ?? .int64))
    case .multiArray: return try feature.multiArrayConstraint.map { MLFeatureValue(multiArray: try array($0, shape)) }
    case .image:
      return try feature.imageConstraint.map { constraint in
        let image = try PixelBuffer(
          width: shape?[1] ?? constraint.pixelsWide, height: shape?[0] ?? constraint.pixelsHigh,
          pixelFormatType: constraint.pixelFormatType)
        if constraint.pixelFormatType != kCVPixelFormatType_OneComponent16Half {
          image.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
          }
        }
        return MLFeatureValue(pixelBuffer: image)
      }
    case .state, .invalid: return nil
    }
  }

  private static func array(_ constraint: MLMultiArrayConstraint, _ shape: [Int]?) throws -> MLMultiArray {
    let shape = (shape ?? constraint.shape.map { max($0.intValue, 1) }).map { NSNumber(value: $0) }
    let array = try MLMultiArray(shape: shape, dataType: constraint.dataType)
    // Integers are mostly indices, and 0 is valid in any table. Floating-point values are spread over -1 to 1.
    guard constraint.dataType != .int32 && constraint.dataType != .int8 else { return array }
    var state: UInt64 = 1
    for index in 0..<array.count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      array[index] = NSNumber(value: Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max))
    }
    return array
  }
}
