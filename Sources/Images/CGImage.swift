/// A picture, under the name that Apple's frameworks have for it: pixels that nobody changes.
///
/// It is a type of its own, so that functions may be written both for pictures and for pixel buffers.
// Sendable: whoever makes one leaves the pixels alone
public final class CGImage: _CFObject, @unchecked Sendable {
  /// The pixels.
  public let pixelBuffer: PixelBuffer
  /// Whether the pixels, which are gray, say where a colour is to be painted: black where it is, white where it is not.
  public let isMask: Bool

  /// A picture of these pixels, which must not be written to any more.
  public init(_ pixelBuffer: PixelBuffer) { (self.pixelBuffer, isMask) = (pixelBuffer, false) }

  /// A mask of these pixels of 8-bit gray, which must not be written to any more.
  package init(mask pixelBuffer: PixelBuffer) { (self.pixelBuffer, isMask) = (pixelBuffer, true) }

  /// A picture from memory (PNG, JPEG, WebP, TIFF, GIF, BMP), upright.
  ///
  /// - Throws: `ImageError` for anything else.
  public convenience init(decoding bytes: UnsafeRawBufferPointer) throws(ImageError) {
    self.init(try ImageDecoder.decode(bytes))
  }

  /// Pixels in a row.
  public var width: Int { pixelBuffer.width }
  /// Rows of pixels.
  public var height: Int { pixelBuffer.height }
  /// Bytes from one row to the next.
  public var bytesPerRow: Int { pixelBuffer.bytesPerRow }
}
