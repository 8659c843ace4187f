import CoreMLImages
import Foundation

/// An image in its upright orientation.
struct UprightPicture: Sendable {
  let pixels: PixelBuffer

  /// The part inside a rectangle in fractions, from the lower left corner.
  ///
  /// - Throws: `VNFailure`, `invalidArgument`, for a rectangle that exceeds the image.
  func part(_ region: CGRect) throws -> PixelBuffer {
    let (x, y, width, height) = (
      Double(region.origin.x), Double(region.origin.y), Double(region.width), Double(region.height)
    )
    // Tolerance for rounding errors in sums of fractions.
    let limit = 1 + 1e-9
    guard (0..<1).contains(x), (0..<1).contains(y), region.size.width > 0, region.size.height > 0, x + width <= limit,
      y + height <= limit
    else {
      throw VNFailure(
        .invalidArgument,
        "the region of interest (\(x), \(y), \(width), \(height)) is not within the picture, which is (0, 0, 1, 1)")
    }
    if region == VNNormalizedIdentityRect { return pixels }
    let top = max(1 - y - height, 0)
    return try pixels.cropped(x: x, y: top, width: min(width, 1 - x), height: min(height, 1 - top))
  }
}

/// The image of a handler, with its orientation.
struct GivenPicture: Sendable {
  enum Content: Sendable {
    case pixels(PixelBuffer)
    case file(URL)
    case data(Data)
  }

  let content: Content
  /// Overrides the file's orientation; nil to use it.
  let orientation: ImageOrientation?

  /// - Throws: `VNFailure`: `ioError` for a file that cannot be read, `invalidImage` for bytes that are not an image.
  func upright() throws -> UprightPicture {
    do {
      switch content {
      case .pixels(let buffer): return UprightPicture(pixels: try buffer.oriented(orientation ?? .up))
      case .data(let data): return try decoded(data)
      case .file(let url):
        guard url.isFileURL else { throw VNFailure(.ioError, "\(url): the picture is in no file") }
        return try decoded(PictureFile.contents(url.path))
      }
    } catch let error as ImageError {
      if case .file(let url) = content { throw VNFailure(error, url.path) }
      throw VNFailure(error)
    }
  }

  private func decoded(_ data: Data) throws -> UprightPicture {
    UprightPicture(pixels: try data.withUnsafeBytes { try ImageDecoder.decode($0, orientation: orientation) })
  }
}
