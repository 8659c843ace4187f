import CoreGraphics
import CoreVideo
import Foundation
import Synchronization

/// What else is known of a picture.
///
/// No option changes what Core ML requests see: `properties` and `cameraIntrinsics` are for requests that are not here, `ciContext` for a framework
/// that is not.
public struct VNImageOption: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// What `CGImageSourceCopyPropertiesAtIndex` says of the picture.
  public static let properties = VNImageOption(rawValue: "VNImageOptionProperties")
  /// The matrix of the camera's focal lengths and center.
  public static let cameraIntrinsics = VNImageOption(rawValue: "VNImageOptionCameraIntrinsics")
  /// With what pictures of Core Image are drawn.
  public static let ciContext = VNImageOption(rawValue: "VNImageOptionCIContext")
}

/// Performs requests on one picture.
// Sendable: what changes is behind the lock
open class VNImageRequestHandler: NSObject, @unchecked Sendable {
  private let given: GivenPicture
  /// What was decoded, once it was.
  private let decoded = Mutex<UprightPicture?>(nil)

  init(_ given: GivenPicture) { self.given = given }

  /// A picture in memory. It is read when requests are performed.
  public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .pixels(pixelBuffer), orientation: .up))
  }

  /// A picture in memory, which lies as `orientation` says.
  public convenience init(
    cvPixelBuffer pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .pixels(pixelBuffer), orientation: orientation))
  }

  /// A picture.
  public convenience init(cgImage image: CGImage, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .pixels(image.pixelBuffer), orientation: .up))
  }

  /// A picture, which lies as `orientation` says.
  public convenience init(
    cgImage image: CGImage, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .pixels(image.pixelBuffer), orientation: orientation))
  }

  /// A picture in a file, upright as its EXIF data tells. It is read when requests are performed.
  public convenience init(url imageURL: URL, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .file(imageURL), orientation: nil))
  }

  /// A picture in a file, which lies as `orientation` says, whatever the file says of it.
  public convenience init(
    url imageURL: URL, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .file(imageURL), orientation: orientation))
  }

  /// A file in memory, upright as its EXIF data tells.
  public convenience init(data imageData: Data, options: [VNImageOption: Any] = [:]) {
    self.init(GivenPicture(content: .data(imageData), orientation: nil))
  }

  /// A file in memory, which lies as `orientation` says, whatever the file says of it.
  public convenience init(
    data imageData: Data, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]
  ) {
    self.init(GivenPicture(content: .data(imageData), orientation: orientation))
  }

  /// Performs all requests, one after the other; each has its results and has called its handler when this returns.
  ///
  /// - Throws: the error of the first request that failed, once all were performed: an `NSError` of the domain `VNErrorDomain`.
  open func perform(_ requests: [VNRequest]) throws {
    let picture = Result { try upright() }
    let errors = requests.compactMap { $0.perform(picture) }
    if let first = errors.first { throw first }
  }

  /// Pixels may be written to between two calls, files are looked at once.
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
