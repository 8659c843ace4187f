import CoreMLBase
import CoreMLImages
import CoreMLSpec
import Foundation

@testable import CoreMLRuntime
@testable import FeatureFiles

/// Input files.
extension FuzzTarget {
  static let npz = FuzzTarget("npz", longest: 4096) { input in
    try Parts(input, names: ["inputs.npz"]).inFolder { folder in
      let arrays = try NPZ.read("\(folder)/inputs.npz")
      for array in arrays.values { try features(array) }
      for description in descriptions {
        try only { _ = try NPZ.read("\(folder)/inputs.npz") { try FeatureConversion.feature($1, description) } }
      }
    }
  }

  static let npy = FuzzTarget("npy", longest: 4096) { input in
    try features(NPYArray(npy: Array(input), "the array"))
  }

  /// JSON parsed as every feature type.
  static let json = FuzzTarget("json", longest: 4096) { input in
    let value = try JSONValue(input)
    for description in descriptions {
      try only { _ = try FeatureJSON.feature(value, description, images: .files(relativeTo: "/nowhere")) }
    }
  }

  static let picture = FuzzTarget("picture", longest: 16384) { input in
    let image = try ImageDecoder.decode(input)
    // Writing an image of hundreds of megapixels takes half a minute, without reaching new code.
    guard image.width * image.height <= 1 << 24 else { return }
    let written = try ImageEncoder.png(image)
    let again = try written.withUnsafeBytes { bytes throws(ImageError) in try ImageDecoder.decode(bytes) }
    guard again.width == image.width, again.height == image.height else {
      throw Finding(
        "a picture of \(image.width) by \(image.height) is written as one of \(again.width) by \(again.height)")
    }
  }

  /// An array as every feature type. A written array must read back unchanged.
  private static func features(_ array: NPYArray) throws {
    let again = try NPYArray(npy: array.npy, "the array that was written")
    guard again.shape == array.shape, again.element == array.element, again.bytes == array.bytes else {
      throw Finding("an array of \(array.shape) is written as another")
    }
    for description in descriptions { try only { _ = try FeatureConversion.feature(array, description) } }
  }

  /// Ignores errors that refuse a value.
  private static func only(_ body: () throws -> Void) throws {
    do { try body() } catch is FeatureFileError {} catch is RuntimeError {} catch is ImageError {} catch is MLModelError
    {}
  }

  private static let descriptions: [MLFeatureDescription] =
    [MLMultiArrayDataType.double, .float32, .float16, .int32, .int8].map { type in
      MLFeatureDescription(
        name: "array", type: .multiArray, isOptional: false,
        multiArrayConstraint: MLMultiArrayConstraint(
          shape: [], dataType: type,
          shapeConstraint: MLMultiArrayShapeConstraint(type: .unspecified, ranges: [], enumeratedShapes: []),
          defaultValue: nil))
    }
    + [MLFeatureType.int64, .double, .string].map { MLFeatureDescription(name: "one", type: $0, isOptional: false) }
    + [MLFeatureType.int64, .string].flatMap { key in
      [
        MLFeatureDescription(
          name: "dictionary", type: .dictionary, isOptional: false,
          dictionaryConstraint: MLDictionaryConstraint(keyType: key)),
        MLFeatureDescription(
          name: "sequence", type: .sequence, isOptional: false,
          sequenceConstraint: MLSequenceConstraint(
            valueDescription: MLFeatureDescription(name: "", type: key, isOptional: false),
            countRange: NSRange(location: 0, length: 100))),
      ]
    }
}
