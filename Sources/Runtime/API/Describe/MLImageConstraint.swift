import CoreMLImages

/// What an image feature must be: pixel format and size.
public final class MLImageConstraint: Sendable {
  /// The height to give, unless `sizeConstraint` allows another.
  public let pixelsHigh: Int
  /// The width to give, unless `sizeConstraint` allows another.
  public let pixelsWide: Int
  /// A `kCVPixelFormatType_` constant.
  public let pixelFormatType: UInt32
  /// Which other sizes may be given.
  public let sizeConstraint: MLImageSizeConstraint

  init(
    pixelsHigh: Int, pixelsWide: Int, pixelFormatType: UInt32,
    sizeConstraint: MLImageSizeConstraint = MLImageSizeConstraint()
  ) {
    self.pixelsHigh = pixelsHigh
    self.pixelsWide = pixelsWide
    self.pixelFormatType = pixelFormatType
    self.sizeConstraint = sizeConstraint
  }

  /// Whether an image of this size may be given.
  func allows(wide: Int, high: Int) -> Bool {
    switch sizeConstraint.type {
    case .unspecified: wide == pixelsWide && high == pixelsHigh
    case .enumerated:
      wide == pixelsWide && high == pixelsHigh
        || sizeConstraint.enumeratedImageSizes.contains { $0.pixelsWide == wide && $0.pixelsHigh == high }
    case .range:
      sizeConstraint.pixelsWideRange.contains(wide) && sizeConstraint.pixelsHighRange.contains(high)
    }
  }

  /// Whether an image may be given: of an allowed size, and gray or colour as the format is.
  func allows(_ image: PixelBuffer) -> Bool {
    let colour: Set = [kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB]
    return allows(wide: image.width, high: image.height)
      && colour.contains(image.pixelFormatType) == colour.contains(pixelFormatType)
  }
}
