import CoreGraphics
import CoreML
import CoreVideo
import Foundation

/// A stage of a request, for which a device may be set.
public enum ComputeStage: Codable, Hashable, Sendable {
  /// The model.
  case main
  /// The steps after the model.
  case postProcessing
}

/// The type and the revision of a request.
public enum RequestDescriptor: Codable, Hashable, Sendable, CustomStringConvertible {
  /// A `CoreMLRequest`.
  case coreMLRequest(CoreMLRequest.Revision)

  /// Type and revision, such as `CoreMLRequest revision1`.
  public var description: String {
    switch self {
    case .coreMLRequest(let revision): "CoreMLRequest \(revision)"
    }
  }
}

/// An analysis of images.
///
/// Vision performs only requests of its own types. For types that the application defines handlers throw
/// `VisionError.unsupportedRequest`.
public protocol VisionRequest: CustomStringConvertible, Hashable, Sendable {
  /// The result of the request: an observation or an array of them.
  associatedtype Result

  /// The type and the revision.
  var descriptor: RequestDescriptor { get }
  /// The devices that each stage can run on.
  var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] { get }
  /// The device that was set for a stage; nil if none was set.
  func computeDevice(for computeStage: ComputeStage) -> MLComputeDevice?
  /// Sets the device of a stage. Nil leaves the choice to Vision.
  mutating func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: ComputeStage)
}

extension VisionRequest {
  /// The type and the revision.
  public var description: String { "\(descriptor)" }
}

/// An analysis of a part of one image.
///
/// Each `perform` decodes the image again. An ``ImageRequestHandler`` decodes it once for several requests.
public protocol ImageProcessingRequest: VisionRequest {
  /// The part of the upright image that the request analyzes.
  var regionOfInterest: NormalizedRect { get set }

  /// Performs the request on an image in memory.
  func perform(on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation?) async throws -> Result
  /// Performs the request on an image in a file.
  func perform(on url: URL, orientation: CGImagePropertyOrientation?) async throws -> Result
  /// Performs the request on an image.
  func perform(on image: CGImage, orientation: CGImagePropertyOrientation?) async throws -> Result
  /// Performs the request on the contents of an image file.
  func perform(on data: Data, orientation: CGImagePropertyOrientation?) async throws -> Result
}

extension ImageProcessingRequest {
  /// Performs the request on an image in memory. Task cancellation stops it.
  ///
  /// - Parameters:
  ///   - pixelBuffer: The image. It must not change until the call returns.
  ///   - orientation: The image's orientation; nil for upright.
  /// - Throws: ``VisionError``.
  public func perform(
    on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result {
    try await ImageRequestHandler(pixelBuffer, orientation: orientation).perform(self)
  }

  /// Performs the request on an image in a file. Task cancellation stops it.
  ///
  /// - Parameters:
  ///   - url: A file URL.
  ///   - orientation: The image's orientation; nil to use the file's EXIF data.
  /// - Throws: ``VisionError``: `ioError` for a file that cannot be read, `invalidImage` for a file that is not an
  ///   image.
  public func perform(on url: URL, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(url, orientation: orientation).perform(self)
  }

  /// Performs the request on an image. Task cancellation stops it.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - orientation: The image's orientation; nil for upright.
  /// - Throws: ``VisionError``.
  public func perform(on image: CGImage, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(image, orientation: orientation).perform(self)
  }

  /// Performs the request on the contents of an image file. Task cancellation stops it.
  ///
  /// - Parameters:
  ///   - data: The contents of a file.
  ///   - orientation: The image's orientation; nil to use the EXIF data.
  /// - Throws: ``VisionError``: `invalidImage` for data that is not an image.
  public func perform(on data: Data, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(data, orientation: orientation).perform(self)
  }
}
