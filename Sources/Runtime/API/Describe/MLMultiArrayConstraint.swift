import Foundation

/// What a multi-array feature must be: element type and shape.
public final class MLMultiArrayConstraint: Sendable {
  /// The shape to give, unless `shapeConstraint` allows another; empty where any may be given.
  public let shape: [NSNumber]
  /// The element type of the model; arrays of other types are converted.
  public let dataType: MLMultiArrayDataType
  /// Which other shapes may be given.
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
