import CoreGraphics
import CoreML
import CoreVideo
import Foundation

/// A part of a request's work, for which a device may be chosen.
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
/// Vision performs requests of its own types. Handlers refuse a type of the application with `VisionError.unsupportedRequest`.
public protocol VisionRequest: CustomStringConvertible, Hashable, Sendable {
  /// The result of the request: an observation or an array of them.
  associatedtype Result

  /// The type and the revision.
  var descriptor: RequestDescriptor { get }
  /// The devices that each stage can run on.
  var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] { get }
  /// The device that was chosen for a stage; nil where none was.
  func computeDevice(for computeStage: ComputeStage) -> MLComputeDevice?
  /// Chooses the device of a stage. Nil leaves the choice to Vision.
  mutating func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: ComputeStage)
}

extension VisionRequest {
  /// The type and the revision.
  public var description: String { "\(descriptor)" }
}

/// An analysis of a part of one image.
///
/// Each `perform` decodes the image anew. An ``ImageRequestHandler`` decodes it once for several requests.
public protocol ImageProcessingRequest: VisionRequest {
  /// The part of the upright image that the request looks at.
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
  /// Performs the request on an image in memory. Cancelling the task stops it.
  ///
  /// - Parameters:
  ///   - pixelBuffer: The image. Nobody may write to it until the call returns.
  ///   - orientation: How the image lies; nil for upright.
  /// - Throws: ``VisionError``.
  public func perform(
    on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result {
    try await ImageRequestHandler(pixelBuffer, orientation: orientation).perform(self)
  }

  /// Performs the request on an image in a file. Cancelling the task stops it.
  ///
  /// - Parameters:
  ///   - url: A file URL.
  ///   - orientation: How the image lies; nil for what the file's EXIF data says.
  /// - Throws: ``VisionError``: `ioError` for a file that cannot be read, `invalidImage` for a file that is no image.
  public func perform(on url: URL, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(url, orientation: orientation).perform(self)
  }

  /// Performs the request on an image. Cancelling the task stops it.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - orientation: How the image lies; nil for upright.
  /// - Throws: ``VisionError``.
  public func perform(on image: CGImage, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(image, orientation: orientation).perform(self)
  }

  /// Performs the request on the contents of an image file. Cancelling the task stops it.
  ///
  /// - Parameters:
  ///   - data: The contents of a file.
  ///   - orientation: How the image lies; nil for what the EXIF data says.
  /// - Throws: ``VisionError``: `invalidImage` for data that is no image.
  public func perform(on data: Data, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(data, orientation: orientation).perform(self)
  }
}
