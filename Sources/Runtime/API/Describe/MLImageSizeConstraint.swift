import Foundation

/// Sizes that an image feature may have besides the one its constraint names.
public final class MLImageSizeConstraint: Sendable {
  /// Which of the other members count.
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
