/// What a multi-array's shape constraint says.
public enum MLMultiArrayShapeConstraintType: Int, Sendable {
  /// Any shape, or the one that the array's constraint names.
  case unspecified = 1
  /// One of a list of shapes.
  case enumerated = 2
  /// A range of sizes an axis.
  case range = 3
}
