import CImages
import CPNG

/// Encodes PNG and JPEG.
public enum ImageEncoder {
  /// Encodes an image as PNG: colors without alpha, or 8-bit gray.
  public static func png(_ buffer: PixelBuffer) throws(ImageError) -> [UInt8] {
    guard let format = PixelFormat(buffer.pixelFormatType), !format.isFloat else {
      throw ImageError(
        .unsupported,
        "pixels of format \(PixelFormat.name(buffer.pixelFormatType)) cannot be written as a PNG picture")
    }
    let source = format == .gray8 ? buffer : try buffer.converted(to: kCVPixelFormatType_32BGRA)
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(source.width)
    image.height = UInt32(source.height)
    let pixels = format == .gray8 ? source.packedBytes : source.packedBGR
    if format == .gray8 {
      image.format = 0  // PNG_FORMAT_GRAY
    } else {
      image.format = UInt32(PNG_FORMAT_FLAG_COLOR) | UInt32(PNG_FORMAT_FLAG_BGR)
    }
    var count = 0
    guard png_image_write_to_memory(&image, nil, &count, 0, pixels, 0, nil) != 0 else {
      throw ImageError(.invalid, "the picture cannot be written as PNG")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    guard png_image_write_to_memory(&image, &bytes, &count, 0, pixels, 0, nil) != 0 else {
      throw ImageError(.invalid, "the picture cannot be written as PNG")
    }
    return Array(bytes.prefix(count))
  }
}

extension PixelBuffer {
  /// The rows of a 32BGRA image without alpha and padding.
  var packedBGR: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: width * height * 3) { packed, count in
      withUnsafeBytes { bytes in
        guard let target = packed.baseAddress, let source = bytes.baseAddress else { return }
        for y in 0..<height { cimages_pack(source + y * bytesPerRow, .bgra, target + y * width * 3, .bgra, width) }
      }
      count = width * height * 3
    }
  }
}
