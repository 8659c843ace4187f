import CoreGraphics
import CoreVideo
import Foundation
import Synchronization

/// Additional information about an image.
///
/// No option affects Core ML requests. `properties` and `cameraIntrinsics` are for requests that this library does not
/// have, `ciContext` for a framework that is missing.
public struct VNImageOption: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The image's properties from `CGImageSourceCopyPropertiesAtIndex`.
  public static let properties = VNImageOption(rawValue: "VNImageOptionProperties")
  /// The matrix of the camera's focal lengths and center.
  public static let cameraIntrinsics = VNImageOption(rawValue: "VNImageOptionCameraIntrinsics")
  /// The context that draws images of Core Image.
  public static let ciContext = VNImageOption(rawValue: "VNImageOptionCIContext")
}

/// Performs requests on one image.
// Sendable: the mutable state is behind the lock
open class VNImageRequestHandler: NSObject, @unchecked Sendable {
  private let given: GivenPicture
  /// The decoded image, after the first use.
  private let decoded = Mutex<UprightPicture?>(nil)

  init(_ given: GivenPicture) { self.given = given }

  /// Creates a handler for an image in memory. Each `perform` reads its current pixels.
  public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .pixels(pixelBuffer), orientation: .up))
  }

  /// Creates a handler for an image in memory with the given orientation.
  public convenience init(
    cvPixelBuffer pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .pixels(pixelBuffer), orientation: orientation))
  }

  /// Creates a handler for an image.
  public convenience init(cgImage image: CGImage, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .pixels(image.pixelBuffer), orientation: .up))
  }

  /// Creates a handler for an image with the given orientation.
  public convenience init(
    cgImage image: CGImage, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .pixels(image.pixelBuffer), orientation: orientation))
  }

  /// Creates a handler for an image file, with the orientation in its EXIF data. It is read when requests are
  /// performed.
  public convenience init(url imageURL: URL, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .file(imageURL), orientation: nil))
  }

  /// Creates a handler for an image file. `orientation` overrides the file's.
  public convenience init(
    url imageURL: URL, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .file(imageURL), orientation: orientation))
  }

  /// Creates a handler for an image file in memory, with the orientation in its EXIF data.
  public convenience init(data imageData: Data, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .data(imageData), orientation: nil))
  }

  /// Creates a handler for an image file in memory. `orientation` overrides the file's.
  public convenience init(
    data imageData: Data, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .data(imageData), orientation: orientation))
  }

  /// Performs all requests, one after the other. On return each request has its results and has called its handler.
  ///
  /// - Throws: The error of the first request that failed, after all were performed: an `NSError` of the domain
  ///   `VNErrorDomain`.
  open func perform(_ requests: [VNRequest]) throws {
    let picture = Result { try upright() }
    let errors = requests.compactMap { $0.perform(picture) }
    if let first = errors.first { throw first }
  }

  /// Pixels may change between two calls, so they are read each time. Files are decoded once.
  private func upright() throws -> UprightPicture {
    if case .pixels = given.content { return try given.upright() }
    return try decoded.withLock { decoded in
      if let decoded { return decoded }
      let picture = try given.upright()
      decoded = picture
      return picture
    }
  }
}
