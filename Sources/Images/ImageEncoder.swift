import CPNG

/// Writes PNG and JPEG pictures.
public enum ImageEncoder {
  /// The picture as a PNG file: colours without their alpha, or 8-bit gray.
  public static func png(_ buffer: PixelBuffer) throws(ImageError) -> [UInt8] {
    guard let format = PixelFormat(buffer.pixelFormatType), !format.isFloat else {
      throw ImageError(
        .unsupported,
        "pixels of format \(PixelFormat.name(buffer.pixelFormatType)) cannot be written as a PNG picture")
    }
    let source = format == .gray8 ? buffer : try buffer.converted(to: kCVPixelFormatType_32BGRA)
    let packed = source.packedBytes
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(source.width)
    image.height = UInt32(source.height)
    var pixels = packed
    if format == .gray8 {
      image.format = 0  // PNG_FORMAT_GRAY
    } else {
      image.format = UInt32(PNG_FORMAT_FLAG_COLOR) | UInt32(PNG_FORMAT_FLAG_BGR)
      pixels = []
      pixels.reserveCapacity(source.width * source.height * 3)
      for pixel in stride(from: 0, to: packed.count, by: 4) { pixels += packed[pixel..<(pixel + 3)] }
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
