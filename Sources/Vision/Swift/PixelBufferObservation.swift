import CoreGraphics
import CoreMLImages
import CoreVideo
import Foundation

/// An output of a model that is an image.
///
/// Apple's `pixel(at:)` is missing: its documentation does not define the result for several channels.
public struct PixelBufferObservation: VisionObservation {
  let pixelBuffer: PixelBuffer
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// 1.
  public let confidence: Float
  /// The request that found it.
  public let originatingRequestDescriptor: RequestDescriptor?

  /// Converts an observation of the older interface; never nil here. Both share the pixels, which must not change any
  /// more.
  public init?(_ observation: VNPixelBufferObservation) { self.init(observation, descriptor: nil) }

  init(_ observation: VNPixelBufferObservation, _ descriptor: RequestDescriptor) {
    self.init(observation, descriptor: descriptor)
  }

  private init(_ observation: VNPixelBufferObservation, descriptor: RequestDescriptor?) {
    pixelBuffer = observation.pixelBuffer
    (uuid, confidence, originatingRequestDescriptor) = (observation.uuid, observation.confidence, descriptor)
  }

  /// Width and height in pixels.
  public var size: CGSize { CGSize(width: pixelBuffer.width, height: pixelBuffer.height) }
  /// The pixel format, such as `kCVPixelFormatType_32BGRA`.
  public var pixelFormat: OSType { pixelBuffer.pixelFormatType }

  /// The image, as a copy of the pixels.
  ///
  /// - Throws: `VisionError.outOfMemory` if the copy cannot be allocated.
  public var cgImage: CGImage {
    get throws {
      do {
        return CGImage(
          try pixelBuffer.cropped(left: 0, top: 0, width: pixelBuffer.width, height: pixelBuffer.height))
      } catch {
        throw VisionError(VNFailure(error))
      }
    }
  }

  /// Calls `body` with the pixels, row by row and plane by plane, without padding. The pointer is valid only during the
  /// call.
  public func withUnsafePointer<R>(_ body: (UnsafeRawPointer) -> R) -> R {
    pixelBuffer.packedBytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { preconditionFailure("an image has pixels") }
      return body(start)
    }
  }

  /// The size and the pixel format.
  public var description: String { "\(pixelBuffer.width) x \(pixelBuffer.height) \(PixelFormat.name(pixelFormat))" }

  /// Whether both are the same observation with equal pixels.
  public static func == (a: PixelBufferObservation, b: PixelBufferObservation) -> Bool {
    guard a.uuid == b.uuid, a.confidence == b.confidence, a.size == b.size, a.pixelFormat == b.pixelFormat,
      a.originatingRequestDescriptor == b.originatingRequestDescriptor
    else { return false }
    return a.pixelBuffer === b.pixelBuffer || a.pixelBuffer.packedBytes == b.pixelBuffer.packedBytes
  }
}

extension PixelBufferObservation {
  private enum CodingKeys: String, CodingKey {
    case width, height, pixelFormat, pixels, uuid, confidence, originatingRequestDescriptor
  }

  /// Encodes the observation, with the pixels in the layout of ``withUnsafePointer(_:)``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(pixelBuffer.width, forKey: .width)
    try container.encode(pixelBuffer.height, forKey: .height)
    try container.encode(pixelFormat, forKey: .pixelFormat)
    try container.encode(Data(pixelBuffer.packedBytes), forKey: .pixels)
    try container.encode(uuid, forKey: .uuid)
    try container.encode(confidence, forKey: .confidence)
    try container.encodeIfPresent(originatingRequestDescriptor, forKey: .originatingRequestDescriptor)
  }

  /// Decodes the format of `encode(to:)`. Apple's archives have another format.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let pixels = try container.decode(Data.self, forKey: .pixels)
    let (width, height) = (
      try container.decode(Int.self, forKey: .width), try container.decode(Int.self, forKey: .height)
    )
    let format = try container.decode(OSType.self, forKey: .pixelFormat)
    // A new image without alignment has no padding between rows and planes, as in the encoded pixels.
    guard let buffer = try? PixelBuffer(width: width, height: height, pixelFormatType: format),
      buffer.byteCount == pixels.count
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .pixels, in: container, debugDescription: "\(pixels.count) bytes are no image of \(width) x \(height)")
    }
    buffer.withUnsafeMutableBytes { $0.copyBytes(from: pixels) }
    pixelBuffer = buffer
    uuid = try container.decode(UUID.self, forKey: .uuid)
    confidence = try container.decode(Float.self, forKey: .confidence)
    originatingRequestDescriptor = try container.decodeIfPresent(
      RequestDescriptor.self, forKey: .originatingRequestDescriptor)
  }
}
