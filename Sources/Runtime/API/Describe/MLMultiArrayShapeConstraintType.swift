/// The kind of a multi-array's shape constraint.
public enum MLMultiArrayShapeConstraintType: Int, Sendable {
  /// Only the shape in the `MLMultiArrayConstraint`, or any shape if that one is empty.
  case unspecified = 1
  /// One of a list of shapes.
  case enumerated = 2
  /// A range of sizes for each axis.
  case range = 3
}
