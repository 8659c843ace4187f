/// The kind of an image's size constraint.
public enum MLImageSizeConstraintType: Int, Sendable {
  /// Only the size in the `MLImageConstraint`.
  case unspecified = 0
  /// One of a list of sizes.
  case enumerated = 2
  /// A range of widths and a range of heights.
  case range = 3
}
