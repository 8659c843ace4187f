import CoreMLImages
import CoreMLImport
import CoreMLSpec
import Foundation

/// The constraints on the values of a feature.
extension DescriptionReader {
  func constraint(_ array: Specification.ArrayFeatureType) throws -> MLMultiArrayConstraint {
    var shape = try array.shape.map { NSNumber(value: $0) }
    var enumerated: [[NSNumber]] = []
    var ranges: [NSRange] = []
    var kind = MLMultiArrayShapeConstraintType.unspecified
    switch try array.shapeFlexibility {
    case .enumeratedShapes(let shapes):
      kind = .enumerated
      enumerated = try shapes.shapes.map { try $0.shape.map { NSNumber(value: $0) } }
      if shape.isEmpty { shape = enumerated.first ?? [] }
    case .shapeRange(let range):
      kind = .range
      ranges = try range.sizeRanges.map { try Self.range($0) }
      if shape.isEmpty { shape = ranges.map { NSNumber(value: $0.location) } }
    case nil: break
    }
    let type: MLMultiArrayDataType
    switch try array.dataType {
    case .float32, .invalidArrayDataType: type = .float32
    case .double: type = .double
    case .int32: type = .int32
    case .int8: type = .int8
    case .float16: type = .float16
    }
    return MLMultiArrayConstraint(
      shape: shape, dataType: type,
      shapeConstraint: MLMultiArrayShapeConstraint(
        type: kind, ranges: ranges, enumeratedShapes: enumerated),
      defaultValue: try FeatureShapes.defaultValue(of: array))
  }

  /// The range from the lower to the upper bound, both included. A negative or missing upper bound means unbounded.
  private static func range(_ range: Specification.SizeRange?) throws -> NSRange {
    let location = Int(clamping: try range?.lowerBound ?? 0)
    let upper = min(Int(clamping: try range?.upperBound ?? -1), Int.max - 1)
    return NSRange(location: location, length: upper < 0 ? Int.max - location : Swift.max(upper - location + 1, 0))
  }

  /// The range of the number of values. The largest count is `location + length`.
  private static func countRange(_ range: Specification.SizeRange?) throws -> NSRange {
    let location = Int(clamping: try range?.lowerBound ?? 0)
    let upper = try range?.upperBound ?? -1
    return NSRange(
      location: location, length: upper < 0 ? Int.max - location : Swift.max(Int(clamping: upper) - location, 0))
  }

  func constraint(_ image: Specification.ImageFeatureType) throws -> MLImageConstraint {
    var width = Int(clamping: try image.width)
    var height = Int(clamping: try image.height)
    let format: UInt32
    switch try image.colorSpace {
    case .grayscale: format = kCVPixelFormatType_OneComponent8
    case .grayscaleFloat16: format = kCVPixelFormatType_OneComponent16Half
    default: format = kCVPixelFormatType_32BGRA
    }
    let size: MLImageSizeConstraint
    switch try image.sizeFlexibility {
    case .enumeratedSizes(let sizes):
      if width == 0, height == 0, let first = try sizes.sizes.first {
        (width, height) = (Int(clamping: try first.width), Int(clamping: try first.height))
      }
      size = MLImageSizeConstraint(
        sizes: try sizes.sizes.map {
          MLImageSize(pixelsWide: Int(clamping: try $0.width), pixelsHigh: Int(clamping: try $0.height))
        })
    case .imageSizeRange(let range):
      size = MLImageSizeConstraint(wide: try Self.range(range.widthRange), high: try Self.range(range.heightRange))
      if width == 0, height == 0 { (width, height) = (size.pixelsWideRange.location, size.pixelsHighRange.location) }
    case nil: size = MLImageSizeConstraint()
    }
    return MLImageConstraint(
      pixelsHigh: height, pixelsWide: width, pixelFormatType: format, sizeConstraint: size)
  }

  func constraint(_ sequence: Specification.SequenceFeatureType) throws -> MLSequenceConstraint {
    let kind: MLFeatureType = try sequence.int64Type != nil ? .int64 : .string
    return MLSequenceConstraint(
      valueDescription: MLFeatureDescription(name: "", type: kind, isOptional: false),
      countRange: try Self.countRange(sequence.sizeRange))
  }
}
