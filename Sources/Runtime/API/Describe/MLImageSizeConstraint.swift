import Foundation

/// What an image's size constraint says.
public enum MLImageSizeConstraintType: Int, Sendable {
  /// The size that the image's constraint names, alone.
  case unspecified = 0
  /// One of a list of sizes.
  case enumerated = 2
  /// Ranges of width and height.
  case range = 3
}

/// A width and a height, in pixels.
public final class MLImageSize: Sendable {
  public let pixelsWide: Int
  public let pixelsHigh: Int

  init(pixelsWide: Int, pixelsHigh: Int) {
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
  }
}

/// Sizes that an image feature may have besides the one its constraint names.
public final class MLImageSizeConstraint: Sendable {
  public let type: MLImageSizeConstraintType
  /// Widths, in pixels; meaningful when `type` is `.range`.
  public let pixelsWideRange: NSRange
  /// Heights, in pixels; meaningful when `type` is `.range`.
  public let pixelsHighRange: NSRange
  /// Meaningful when `type` is `.enumerated`.
  public let enumeratedImageSizes: [MLImageSize]

  init() {
    type = .unspecified
    (pixelsWideRange, pixelsHighRange, enumeratedImageSizes) = (NSRange(), NSRange(), [])
  }

  init(sizes: [MLImageSize]) {
    type = .enumerated
    (pixelsWideRange, pixelsHighRange, enumeratedImageSizes) = (NSRange(), NSRange(), sizes)
  }

  init(wide: NSRange, high: NSRange) {
    type = .range
    (pixelsWideRange, pixelsHighRange, enumeratedImageSizes) = (wide, high, [])
  }
}
