import CoreMLBase
import CoreMLImages
import Foundation

/// Converts images for an image feature: rotates them upright, crops and scales them, and converts the pixel format.
/// Throws `MLModelError`s that name the file, if there is one.
struct PictureFit {
  private let options: [MLFeatureValue.ImageOption: Any]
  private let file: String?

  init(_ options: [MLFeatureValue.ImageOption: Any]?, _ url: URL? = nil) {
    self.options = options ?? [:]
    file = url?.path
  }

  /// Reads an image file and converts it to a size and format.
  func picture(
    at url: URL, _ orientation: ImageOrientation?, _ width: Int, _ height: Int, _ format: UInt32
  ) throws -> PixelBuffer {
    try wrapping { try fitted(cropped(decoded(url.path, orientation)), width, height, format) }
  }

  /// Reads an image file. The image keeps its own size if the constraint allows it.
  func picture(
    at url: URL, _ orientation: ImageOrientation?, _ constraint: MLImageConstraint
  ) throws -> PixelBuffer {
    try wrapping { try fitted(cropped(decoded(url.path, orientation)), constraint) }
  }

  func picture(
    _ image: PixelBuffer, _ orientation: ImageOrientation, _ width: Int, _ height: Int, _ format: UInt32
  ) throws -> PixelBuffer {
    try wrapping { try fitted(cropped(image.oriented(orientation)), width, height, format) }
  }

  func picture(
    _ image: PixelBuffer, _ orientation: ImageOrientation, _ constraint: MLImageConstraint
  ) throws -> PixelBuffer {
    try wrapping { try fitted(cropped(image.oriented(orientation)), constraint) }
  }

  // MARK: steps

  private func decoded(_ path: String, _ orientation: ImageOrientation?) throws -> PixelBuffer {
    try PictureFile.contents(path).withUnsafeBytes { try ImageDecoder.decode($0, orientation: orientation) }
  }

  private func cropped(_ image: PixelBuffer) throws -> PixelBuffer {
    guard let option = options[.cropRect] else { return image }
    guard let rectangle = option as? CGRect else {
      throw RuntimeError(.invalidInput, "the option cropRect is a \(Swift.type(of: option)), expected a CGRect")
    }
    return try image.cropped(
      x: rectangle.origin.x, y: rectangle.origin.y, width: rectangle.width, height: rectangle.height)
  }

  private func fitted(_ image: PixelBuffer, _ constraint: MLImageConstraint) throws -> PixelBuffer {
    let keeps = constraint.allows(wide: image.width, high: image.height)
    return try fitted(
      image, keeps ? image.width : constraint.pixelsWide, keeps ? image.height : constraint.pixelsHigh,
      constraint.pixelFormatType)
  }

  private func fitted(_ image: PixelBuffer, _ width: Int, _ height: Int, _ format: UInt32) throws -> PixelBuffer {
    try image.fitted(width: width, height: height, pixelFormatType: format, cropAndScale())
  }

  private func cropAndScale() throws -> ImageCropAndScale {
    guard let option = options[.cropAndScale] else { return .scaleFill }
    if let option = option as? ImageCropAndScale { return option }
    guard let raw = (option as? NSNumber)?.uintValue, let known = ImageCropAndScale(rawValue: raw) else {
      throw RuntimeError(
        .invalidInput, "the option cropAndScale is \(option), expected one of VNImageCropAndScaleOption")
    }
    return known
  }

  private func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
    try MLModelError.wrapping(.generic) {
      do { return try body() } catch let error as ImageError {
        throw RuntimeError(error.code == .io ? .io : .invalidInput, error.message, file: file)
      }
    }
  }
}
