/// An immutable image, with the name of Apple's frameworks.
///
/// It is a separate type, so that functions can be overloaded for images and pixel buffers.
// Sendable: the creator must not change the pixels
public final class CGImage: _CFObject, @unchecked Sendable {
  /// The pixels.
  public let pixelBuffer: PixelBuffer
  /// Whether the gray pixels are a mask that says where to paint a color: black paints, white does not.
  public let isMask: Bool

  /// Creates an image from pixels, which must not change any more.
  public init(_ pixelBuffer: PixelBuffer) { (self.pixelBuffer, isMask) = (pixelBuffer, false) }

  /// Creates a mask from 8-bit gray pixels, which must not change any more.
  package init(mask pixelBuffer: PixelBuffer) { (self.pixelBuffer, isMask) = (pixelBuffer, true) }

  /// Decodes an image file in memory (PNG, JPEG, WebP, TIFF, GIF, BMP) in upright orientation.
  ///
  /// - Throws: `ImageError` for anything else.
  public convenience init(decoding bytes: UnsafeRawBufferPointer) throws(ImageError) {
    self.init(try ImageDecoder.decode(bytes))
  }

  /// The width in pixels.
  public var width: Int { pixelBuffer.width }
  /// The height in pixels.
  public var height: Int { pixelBuffer.height }
  /// Bytes from one row to the next.
  public var bytesPerRow: Int { pixelBuffer.bytesPerRow }
}
