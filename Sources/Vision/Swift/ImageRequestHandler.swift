import CoreGraphics
import CoreMLRuntime
import CoreVideo
import Foundation

/// Performs requests on one image, and decodes a file only once.
///
/// This platform has no Core Image, Core Media or AVFoundation. The initializers for `CIImage` and `CMSampleBuffer` and
/// the parameter `depthData` are missing.
public final class ImageRequestHandler: Sendable {
  private let handler: VNImageRequestHandler

  private init(_ content: GivenPicture.Content, _ orientation: CGImagePropertyOrientation?) {
    handler = VNImageRequestHandler(GivenPicture(content: content, orientation: orientation))
  }

  /// Creates a handler for a file. The first request reads it.
  ///
  /// - Parameters:
  ///   - imageURL: A file URL.
  ///   - orientation: The image's orientation; nil to use the file's EXIF data.
  public convenience init(_ imageURL: URL, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.file(imageURL), orientation)
  }

  /// Creates a handler for an image.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - orientation: The image's orientation; nil for upright.
  public convenience init(_ image: CGImage, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.pixels(image.pixelBuffer), orientation)
  }

  /// Creates a handler for an image in memory.
  ///
  /// - Parameters:
  ///   - pixelBuffer: The image. Each request reads its current pixels.
  ///   - orientation: The image's orientation; nil for upright.
  public convenience init(_ pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.pixels(pixelBuffer), orientation)
  }

  /// Creates a handler for the contents of an image file.
  ///
  /// - Parameters:
  ///   - data: The contents of a file.
  ///   - orientation: The image's orientation; nil to use the EXIF data.
  public convenience init(_ data: Data, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.data(data), orientation)
  }

  /// Performs a request on the image. Task cancellation stops it.
  ///
  /// - Returns: The observations of the request.
  /// - Throws: ``VisionError``: `requestCancelled` in a cancelled task, `unsupportedRequest` for a request type that
  ///   the application defines.
  public func perform<T: VisionRequest>(_ request: T) async throws -> T.Result {
    guard let known = request as? CoreMLRequest, let found = try await observations(known) as? T.Result else {
      throw VisionError.unsupportedRequest("an ImageRequestHandler cannot perform a \(T.self)")
    }
    return found
  }

  /// Performs requests on the image, one after the other. Task cancellation stops them.
  ///
  /// - Returns: The observations of each request, in the order of the requests.
  /// - Throws: The ``VisionError`` of the first request that fails. The requests after it are not performed.
  public func perform<each T: VisionRequest>(_ request: repeat each T) async throws -> (repeat (each T).Result) {
    try await (repeat perform(each request))
  }

  /// Performs requests on the image, one after the other. The work begins immediately.
  ///
  /// An error is a result, and the requests after it are still performed. The work stops when the sequence is no longer
  /// iterated.
  ///
  /// - Returns: A result for each request, in the order of the requests.
  public func performAll(_ requests: some Collection<any VisionRequest>) -> some AsyncSequence<VisionResult, Never> {
    let requests = Array(requests)
    let (results, continuation) = AsyncStream.makeStream(of: VisionResult.self)
    let work = Task {
      for request in requests where !Task.isCancelled { continuation.yield(await self.result(of: request)) }
      continuation.finish()
    }
    continuation.onTermination = { _ in work.cancel() }
    return results
  }

  private func result(of request: any VisionRequest) async -> VisionResult {
    do {
      guard let known = request as? CoreMLRequest else {
        throw VisionError.unsupportedRequest("an ImageRequestHandler cannot perform a \(type(of: request))")
      }
      return .coreML(known, try await observations(known))
    } catch {
      return .error(request, error)
    }
  }

  /// Runs the older interface on a thread that it may block.
  private func observations(_ request: CoreMLRequest) async throws -> [any VisionObservation] {
    let prepared = try request.prepared()
    let handler = handler
    return try await withTaskCancellationHandler {
      try await offCaller {
        try VisionError.renaming { try handler.perform([prepared]) }
        return try request.observations(prepared.results ?? [])
      }
    } onCancel: {
      prepared.cancel()
    }
  }
}
