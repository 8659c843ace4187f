import CoreMLImages
import Foundation

extension MLFeatureValue {
  /// How a picture becomes a value of the size and format that a model takes.
  public struct ImageOption: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The same without a label.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// A `CGRect` in fractions of the upright picture, from its top left corner: only what is inside is used.
    public static let cropRect = ImageOption(rawValue: "MLFeatureValueImageOptionCropRectangle")
    /// An `ImageCropAndScale` or its raw value (`VNImageCropAndScaleOption`); the default is `scaleFill`.
    public static let cropAndScale = ImageOption(rawValue: "MLFeatureValueImageOptionCropAndScale")
  }

  // MARK: files

  /// The picture in a file (PNG, JPEG, WebP, TIFF, GIF, BMP), upright as EXIF tells, in the given size and format.
  ///
  /// - Throws: `MLModelError` when the file cannot be read or holds no such picture, or an option cannot be followed.
  public convenience init(
    imageAt url: URL, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    self.init(pixelBuffer: try PictureFit(options, url).picture(at: url, nil, pixelsWide, pixelsHigh, pixelFormatType))
  }

  /// The same for a picture whose orientation the caller knows: what the file says of it is overruled.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int,
    pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    self.init(
      pixelBuffer: try PictureFit(options, url).picture(at: url, orientation, pixelsWide, pixelsHigh, pixelFormatType))
  }

  /// The picture in a file (PNG, JPEG, WebP, TIFF, GIF, BMP) as an image feature takes it: in its own size where the constraint allows it,
  /// else in the constraint's.
  public convenience init(imageAt url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    self.init(pixelBuffer: try PictureFit(options, url).picture(at: url, nil, constraint))
  }

  /// The same for a picture whose orientation the caller knows: what the file says of it is overruled.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint,
    options: [ImageOption: Any]? = nil
  ) throws {
    self.init(pixelBuffer: try PictureFit(options, url).picture(at: url, orientation, constraint))
  }

  // MARK: pictures

  /// A picture in the given size and format.
  ///
  /// - Throws: `MLModelError` when an option cannot be followed, or half-precision gray is to change.
  public convenience init(
    cgImage: CGImage, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      cgImage: cgImage, orientation: .up, pixelsWide: pixelsWide, pixelsHigh: pixelsHigh,
      pixelFormatType: pixelFormatType, options: options)
  }

  /// A picture, turned upright, in the given size and format.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int,
    pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    self.init(
      pixelBuffer: try PictureFit(options).picture(
        cgImage.pixelBuffer, orientation, pixelsWide, pixelsHigh, pixelFormatType))
  }

  /// A picture as an image feature takes it: in its own size where the constraint allows it, else in the constraint's.
  public convenience init(cgImage: CGImage, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    try self.init(cgImage: cgImage, orientation: .up, constraint: constraint, options: options)
  }

  /// A picture, turned upright, as an image feature takes it.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint,
    options: [ImageOption: Any]? = nil
  ) throws {
    self.init(pixelBuffer: try PictureFit(options).picture(cgImage.pixelBuffer, orientation, constraint))
  }
}
