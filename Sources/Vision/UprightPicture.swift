import CoreMLImages
import Foundation

/// A picture as it is seen.
struct UprightPicture: Sendable {
  let pixels: PixelBuffer

  /// The part inside a rectangle in fractions, from the lower left corner.
  ///
  /// - Throws: `VNFailure`, `invalidArgument`, for one that is not within the picture.
  func part(_ region: CGRect) throws -> PixelBuffer {
    let (x, y, width, height) = (
      Double(region.origin.x), Double(region.origin.y), Double(region.width), Double(region.height)
    )
    // Sums of fractions miss 1 by what doubles miss.
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

/// What a handler was given, and how it lies.
struct GivenPicture: Sendable {
  enum Content: Sendable {
    case pixels(PixelBuffer)
    case file(URL)
    case data(Data)
  }

  let content: Content
  /// Overrules what a file says; nil to take its word.
  let orientation: ImageOrientation?

  /// - Throws: `VNFailure`: `ioError` for a file that cannot be read, `invalidImage` for bytes that are no picture.
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
