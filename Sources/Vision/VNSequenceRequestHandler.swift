import CoreGraphics
import CoreVideo
import Foundation

/// Performs requests on a sequence of images. There are no requests that track something from image to image.
// Sendable: stateless
open class VNSequenceRequestHandler: NSObject, @unchecked Sendable {
  /// Creates a handler for any number of images.
  override public init() { super.init() }

  /// Performs requests on an image in memory.
  open func perform(_ requests: [VNRequest], on pixelBuffer: CVPixelBuffer) throws {
    try VNImageRequestHandler(cvPixelBuffer: pixelBuffer).perform(requests)
  }

  /// Performs requests on an image in memory with the given orientation.
  open func perform(
    _ requests: [VNRequest], on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(cvPixelBuffer: pixelBuffer, orientation: orientation).perform(requests)
  }

  /// Performs requests on an image.
  open func perform(_ requests: [VNRequest], on image: CGImage) throws {
    try VNImageRequestHandler(cgImage: image).perform(requests)
  }

  /// Performs requests on an image with the given orientation.
  open func perform(
    _ requests: [VNRequest], on image: CGImage, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(cgImage: image, orientation: orientation).perform(requests)
  }

  /// Performs requests on an image file, with the orientation in its EXIF data.
  open func perform(_ requests: [VNRequest], onImageURL imageURL: URL) throws {
    try VNImageRequestHandler(url: imageURL).perform(requests)
  }

  /// Performs requests on an image file. `orientation` overrides the file's.
  open func perform(
    _ requests: [VNRequest], onImageURL imageURL: URL, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(url: imageURL, orientation: orientation).perform(requests)
  }

  /// Performs requests on an image file in memory, with the orientation in its EXIF data.
  open func perform(_ requests: [VNRequest], onImageData imageData: Data) throws {
    try VNImageRequestHandler(data: imageData).perform(requests)
  }

  /// Performs requests on an image file in memory. `orientation` overrides the file's.
  open func perform(
    _ requests: [VNRequest], onImageData imageData: Data, orientation: CGImagePropertyOrientation
  ) throws {
    try VNImageRequestHandler(data: imageData, orientation: orientation).perform(requests)
  }
}
