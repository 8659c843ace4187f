import CoreMLImages
import Foundation

/// How the shape of an array may vary.
public struct MLMultiArrayShapeConstraint: Sendable {
  public enum Kind: Int, Sendable { case unspecified = 1, enumerated = 2, range = 3 }
  public let type: Kind
  /// Sizes an axis may have, upper bound excluded; by axis, for a range.
  public let sizeRangeForDimension: [NSRange]
  public let enumeratedShapes: [[NSNumber]]

  func allows(_ shape: [Int], declared: [Int]) -> Bool {
    switch type {
    case .unspecified: declared.isEmpty || shape == declared
    case .enumerated: enumeratedShapes.contains { $0.map(\.intValue) == shape }
    case .range:
      shape.count == sizeRangeForDimension.count
        && zip(shape, sizeRangeForDimension).allSatisfy { $0 >= $1.location && $0 - $1.location < $1.length }
    }
  }
}

public final class MLMultiArrayConstraint: Sendable {
  public let shape: [NSNumber]
  public let dataType: MLMultiArrayDataType
  public let shapeConstraint: MLMultiArrayShapeConstraint
  /// What stands for every element of an optional array that is not given.
  let defaultValue: Double?

  init(
    shape: [NSNumber], dataType: MLMultiArrayDataType, shapeConstraint: MLMultiArrayShapeConstraint,
    defaultValue: Double? = nil
  ) {
    self.shape = shape
    self.dataType = dataType
    self.shapeConstraint = shapeConstraint
    self.defaultValue = defaultValue
  }
}

public final class MLImageConstraint: Sendable {
  public let pixelsHigh: Int
  public let pixelsWide: Int
  public let pixelFormatType: UInt32
  /// Sizes the image may have instead, (wide, high).
  let allowed: @Sendable (Int, Int) -> Bool

  init(pixelsHigh: Int, pixelsWide: Int, pixelFormatType: UInt32, allowed: @escaping @Sendable (Int, Int) -> Bool) {
    self.pixelsHigh = pixelsHigh
    self.pixelsWide = pixelsWide
    self.pixelFormatType = pixelFormatType
    self.allowed = allowed
  }
}

public final class MLDictionaryConstraint: Sendable {
  public let keyType: MLFeatureType
  init(keyType: MLFeatureType) { self.keyType = keyType }
}

public final class MLStateConstraint: Sendable {
  public let bufferShape: [Int]
  public let dataType: MLMultiArrayDataType
  init(bufferShape: [Int], dataType: MLMultiArrayDataType) {
    self.bufferShape = bufferShape
    self.dataType = dataType
  }
}

public final class MLFeatureDescription: Sendable {
  public let name: String
  public let type: MLFeatureType
  public let isOptional: Bool
  public let multiArrayConstraint: MLMultiArrayConstraint?
  public let imageConstraint: MLImageConstraint?
  public let dictionaryConstraint: MLDictionaryConstraint?
  public let stateConstraint: MLStateConstraint?

  init(
    name: String, type: MLFeatureType, isOptional: Bool, multiArrayConstraint: MLMultiArrayConstraint? = nil,
    imageConstraint: MLImageConstraint? = nil, dictionaryConstraint: MLDictionaryConstraint? = nil,
    stateConstraint: MLStateConstraint? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.multiArrayConstraint = multiArrayConstraint
    self.imageConstraint = imageConstraint
    self.dictionaryConstraint = dictionaryConstraint
    self.stateConstraint = stateConstraint
  }

  /// Whether a value is of the type and within the constraints.
  public func isAllowedValue(_ value: MLFeatureValue) -> Bool {
    if value.isUndefined { return isOptional }
    guard value.type == type else { return false }
    if let constraint = multiArrayConstraint, let array = value.multiArrayValue {
      return constraint.shapeConstraint.allows(array.shape.map(\.intValue), declared: constraint.shape.map(\.intValue))
    }
    if let constraint = imageConstraint, let image = value.imageBufferValue {
      return constraint.allowed(image.width, image.height)
    }
    return true
  }
}
