import CoreGraphics
import CoreVideo
import Foundation

/// Performs requests on one picture after the other. Requests that follow something from picture to picture are not here.
// Sendable: it holds nothing
open class VNSequenceRequestHandler: NSObject, @unchecked Sendable {
  /// A handler for any number of pictures.
  override public init() { super.init() }

  /// Performs requests on a picture in memory.
  open func perform(_ requests: [VNRequest], on pixelBuffer: CVPixelBuffer) throws {
    try VNImageRequestHandler(cvPixelBuffer: pixelBuffer).perform(requests)
  }

  /// Performs requests on a picture in memory, which lies as `orientation` says.
  open func perform(
    _ requests: [VNRequest], on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(cvPixelBuffer: pixelBuffer, orientation: orientation).perform(requests)
  }

  /// Performs requests on a picture.
  open func perform(_ requests: [VNRequest], on image: CGImage) throws {
    try VNImageRequestHandler(cgImage: image).perform(requests)
  }

  /// Performs requests on a picture, which lies as `orientation` says.
  open func perform(
    _ requests: [VNRequest], on image: CGImage, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(cgImage: image, orientation: orientation).perform(requests)
  }

  /// Performs requests on a picture in a file, upright as its EXIF data tells.
  open func perform(_ requests: [VNRequest], onImageURL imageURL: URL) throws {
    try VNImageRequestHandler(url: imageURL).perform(requests)
  }

  /// Performs requests on a picture in a file, which lies as `orientation` says.
  open func perform(
    _ requests: [VNRequest], onImageURL imageURL: URL, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(url: imageURL, orientation: orientation).perform(requests)
  }

  /// Performs requests on a file in memory, upright as its EXIF data tells.
  open func perform(_ requests: [VNRequest], onImageData imageData: Data) throws {
    try VNImageRequestHandler(data: imageData).perform(requests)
  }

  /// Performs requests on a file in memory, which lies as `orientation` says.
  open func perform(
    _ requests: [VNRequest], onImageData imageData: Data, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(data: imageData, orientation: orientation).perform(requests)
  }
}
