/// What an image's size constraint says.
public enum MLImageSizeConstraintType: Int, Sendable {
  /// The size that the image's constraint names, alone.
  case unspecified = 0
  /// One of a list of sizes.
  case enumerated = 2
  /// Ranges of width and height.
  case range = 3
}
