import CoreMLImages
import Foundation

extension MLFeatureValue {
  /// How a picture file becomes a value of the size and format that a model takes.
  public struct ImageOption: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A `CGRect` in fractions of the upright picture, from its top left corner: only what is inside is used.
    public static let cropRect = ImageOption(rawValue: "MLFeatureValueImageOptionCropRectangle")
    /// An `ImageCropAndScale` or its raw value (`VNImageCropAndScaleOption`); the default is `scaleFill`.
    public static let cropAndScale = ImageOption(rawValue: "MLFeatureValueImageOptionCropAndScale")
  }

  /// The PNG or JPEG picture in a file, upright as EXIF tells, in the given size and format.
  ///
  /// - Throws: `MLModelError` when the file cannot be read or holds no such picture.
  public convenience init(
    imageAt url: URL, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: UInt32, options: [ImageOption: Any]? = nil
  ) throws {
    let image = try Self.picture(url, options)
    self.init(pixelBuffer: try Self.fitted(image, url, pixelsWide, pixelsHigh, pixelFormatType, options))
  }

  /// The same for a picture whose orientation the caller knows: what the file says of it is overruled.
  public convenience init(
    imageAt url: URL, orientation: ImageOrientation, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: UInt32,
    options: [ImageOption: Any]? = nil
  ) throws {
    let image = try Self.picture(url, options, orientation: orientation)
    self.init(pixelBuffer: try Self.fitted(image, url, pixelsWide, pixelsHigh, pixelFormatType, options))
  }

  /// The PNG or JPEG picture in a file as an image feature takes it: in its own size where the constraint allows it, else in the
  /// constraint's.
  public convenience init(imageAt url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    try self.init(Self.picture(url, options), url, constraint, options)
  }

  /// The same for a picture whose orientation the caller knows: what the file says of it is overruled.
  public convenience init(
    imageAt url: URL, orientation: ImageOrientation, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(Self.picture(url, options, orientation: orientation), url, constraint, options)
  }

  private convenience init(
    _ image: PixelBuffer, _ url: URL, _ constraint: MLImageConstraint, _ options: [ImageOption: Any]?
  ) throws {
    let keeps = constraint.allows(wide: image.width, high: image.height)
    self.init(
      pixelBuffer: try Self.fitted(
        image, url, keeps ? image.width : constraint.pixelsWide, keeps ? image.height : constraint.pixelsHigh,
        constraint.pixelFormatType, options))
  }

  /// The upright picture, cropped.
  private static func picture(
    _ url: URL, _ options: [ImageOption: Any]?, orientation: ImageOrientation? = nil
  ) throws -> PixelBuffer {
    try wrapping(url) {
      var status = stat()
      guard stat(url.path, &status) == 0 else {
        throw RuntimeError(.io, "the picture cannot be opened: \(String(cString: strerror(errno)))", file: url.path)
      }
      guard status.st_mode & S_IFMT == S_IFREG, let data = FileManager.default.contents(atPath: url.path) else {
        throw RuntimeError(.io, "the picture cannot be read", file: url.path)
      }
      var image = try data.withUnsafeBytes { try ImageDecoder.decode($0, orientation: orientation) }
      if let rectangle = options?[.cropRect] {
        guard let rectangle = rectangle as? CGRect else {
          throw RuntimeError(.invalidInput, "the option cropRect is a \(Swift.type(of: rectangle)), expected a CGRect")
        }
        image = try image.cropped(
          x: rectangle.origin.x, y: rectangle.origin.y, width: rectangle.width, height: rectangle.height)
      }
      return image
    }
  }

  private static func fitted(
    _ image: PixelBuffer, _ url: URL, _ width: Int, _ height: Int, _ format: UInt32, _ options: [ImageOption: Any]?
  ) throws -> PixelBuffer {
    try wrapping(url) {
      let option: ImageCropAndScale
      switch options?[.cropAndScale] {
      case nil: option = .scaleFill
      case let value as ImageCropAndScale: option = value
      case let value?:
        guard let raw = (value as? NSNumber)?.uintValue ?? (value as? UInt),
          let known = ImageCropAndScale(rawValue: raw)
        else {
          throw RuntimeError(
            .invalidInput, "the option cropAndScale is \(value), expected one of VNImageCropAndScaleOption")
        }
        option = known
      }
      return try image.resized(width: width, height: height, option).converted(to: format)
    }
  }

  private static func wrapping<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    try MLModelError.wrapping(.generic) {
      do { return try body() } catch let error as ImageError {
        throw RuntimeError(error.code == .io ? .io : .invalidInput, error.message, file: url.path)
      }
    }
  }
}
