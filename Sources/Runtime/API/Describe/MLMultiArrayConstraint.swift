import Foundation

/// What a multi-array feature must be: element type and shape.
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
