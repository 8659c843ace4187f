import CJPEG
import Foundation

extension ImageEncoder {
  /// Encodes an image as JPEG: colors without alpha, or 8-bit gray. `quality` is from 0 (smallest) to 1 (best).
  public static func jpeg(_ buffer: PixelBuffer, quality: Double = 0.9) throws(ImageError) -> [UInt8] {
    guard let format = PixelFormat(buffer.pixelFormatType), !format.isFloat else {
      throw ImageError(
        .unsupported,
        "pixels of format \(PixelFormat.name(buffer.pixelFormatType)) cannot be written as a JPEG picture")
    }
    let isGray = format == .gray8
    let source = isGray ? buffer : try buffer.converted(to: kCVPixelFormatType_32BGRA)
    let pixels = isGray ? source.packedBytes : source.packedBGR
    var image = CJPEGImage()
    image.width = Int32(source.width)
    image.height = Int32(source.height)
    image.components = isGray ? 1 : 3
    var written: UnsafeMutablePointer<UInt8>?
    var count = 0
    let percent = quality.isNaN ? 90 : Int32((min(max(quality, 0), 1) * 100).rounded())
    guard cjpeg_encode(pixels, &image, max(percent, 1), &written, &count) == 0, let written else {
      let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw ImageError(.invalid, "the picture cannot be written as JPEG: \(text)")
    }
    defer { free(written) }
    return Array(UnsafeBufferPointer(start: written, count: count))
  }
}
