import CoreMLImages
import Foundation

extension MLFeatureValue {
  /// How an image is converted to the size and format that a model expects.
  public struct ImageOption: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates an option without an argument label.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// A `CGRect` in fractions of the upright image, from its top left corner. Only this part of the image is used.
    public static let cropRect = ImageOption(rawValue: "MLFeatureValueImageOptionCropRectangle")
    /// An `ImageCropAndScale` or its raw value (`VNImageCropAndScaleOption`). The default is `scaleFill`.
    public static let cropAndScale = ImageOption(rawValue: "MLFeatureValueImageOptionCropAndScale")
  }

  // MARK: files

  /// Reads an image file (PNG, JPEG, WebP, TIFF, GIF, BMP) and converts it to the given size and format. The image is
  /// rotated upright according to its EXIF data.
  ///
  /// - Throws: `MLModelError` if the file cannot be read or is not such an image, or if an option is invalid.
  public convenience init(
    imageAt url: URL, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    self.init(pixelBuffer: try PictureFit(options, url).picture(at: url, nil, pixelsWide, pixelsHigh, pixelFormatType))
  }

  /// Reads an image with an orientation that overrides the orientation in the file.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int,
    pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    self.init(
      pixelBuffer: try PictureFit(options, url).picture(at: url, orientation, pixelsWide, pixelsHigh, pixelFormatType))
  }

  /// Reads an image file (PNG, JPEG, WebP, TIFF, GIF, BMP) for an image feature. The image keeps its own size if the
  /// constraint allows it; otherwise it is scaled to the constraint's size.
  public convenience init(imageAt url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    self.init(pixelBuffer: try PictureFit(options, url).picture(at: url, nil, constraint))
  }

  /// Reads an image with an orientation that overrides the orientation in the file.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint,
    options: [ImageOption: Any]? = nil
  ) throws {
    self.init(pixelBuffer: try PictureFit(options, url).picture(at: url, orientation, constraint))
  }

  // MARK: images

  /// Converts an image to the given size and format.
  ///
  /// - Throws: `MLModelError` if an option is invalid, or if an fp16 grayscale image would need a conversion.
  public convenience init(
    cgImage: CGImage, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      cgImage: cgImage, orientation: .up, pixelsWide: pixelsWide, pixelsHigh: pixelsHigh,
      pixelFormatType: pixelFormatType, options: options)
  }

  /// Rotates an image upright and converts it to the given size and format.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int,
    pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    self.init(
      pixelBuffer: try PictureFit(options).picture(
        cgImage.pixelBuffer, orientation, pixelsWide, pixelsHigh, pixelFormatType))
  }

  /// Converts an image for an image feature. The image keeps its own size if the constraint allows it; otherwise it is
  /// scaled to the constraint's size.
  public convenience init(cgImage: CGImage, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    try self.init(cgImage: cgImage, orientation: .up, constraint: constraint, options: options)
  }

  /// Rotates an image upright and converts it for an image feature.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint,
    options: [ImageOption: Any]? = nil
  ) throws {
    self.init(pixelBuffer: try PictureFit(options).picture(cgImage.pixelBuffer, orientation, constraint))
  }
}
