import CJPEG
import CPNG

/// Reads PNG and JPEG pictures as they are meant to be seen: the orientation that EXIF tells is carried out.
public enum ImageDecoder {
  /// A picture in memory as `32BGRA`, upright. `orientation` overrules what the file says of it.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, orientation: ImageOrientation? = nil
  ) throws(ImageError) -> PixelBuffer {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return try png(bytes).oriented(orientation ?? .up) }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      return try jpeg(bytes).oriented(orientation ?? ImageOrientation(jpeg: bytes))
    }
    throw ImageError(.unsupported, "expected a PNG or JPEG picture, found neither")
  }

  private static func png(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PixelBuffer {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    func failure() -> ImageError {
      let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return ImageError(.invalid, "the PNG picture is damaged: \(text)")
    }
    guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { throw failure() }
    let buffer = try PixelBuffer(
      width: Int(image.width), height: Int(image.height), pixelFormatType: kCVPixelFormatType_32BGRA)
    // 16 bits that say nothing of their gamma are meant as 8 bits are; libpng would take them for linear light.
    image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
    // PNG_FORMAT_BGRA
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR) | UInt32(PNG_FORMAT_FLAG_BGR) | UInt32(PNG_FORMAT_FLAG_ALPHA)
    let finished = buffer.withUnsafeMutableBytes { pixels in
      png_image_finish_read(&image, nil, pixels.baseAddress, Int32(buffer.bytesPerRow), nil)
    }
    // A warning (1) leaves the picture whole; an error (2 and above) does not.
    guard finished != 0 else { throw failure() }
    return buffer
  }

  private static func jpeg(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PixelBuffer {
    guard let base = bytes.baseAddress else { throw ImageError(.invalid, "the JPEG picture is empty") }
    var image = CJPEGImage()
    func failure() -> ImageError {
      let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return ImageError(.invalid, "the JPEG picture is damaged: \(text)")
    }
    guard cjpeg_read_header(base, bytes.count, &image) == 0 else { throw failure() }
    let buffer = try PixelBuffer(
      width: Int(image.width), height: Int(image.height), pixelFormatType: kCVPixelFormatType_32BGRA)
    let decoded = buffer.withUnsafeMutableBytes { pixels -> Int32 in
      guard let target = pixels.baseAddress else { return -1 }
      return cjpeg_decode(base, bytes.count, &image, target.assumingMemoryBound(to: UInt8.self))
    }
    guard decoded == 0 else { throw failure() }
    return buffer
  }
}

/// Writes PNG pictures.
public enum ImageEncoder {
  /// The picture as a PNG file: 32BGRA without its alpha, or 8-bit gray.
  public static func png(_ buffer: PixelBuffer) throws(ImageError) -> [UInt8] {
    let source: PixelBuffer
    switch buffer.pixelFormatType {
    case kCVPixelFormatType_32BGRA, kCVPixelFormatType_OneComponent8: source = buffer
    case kCVPixelFormatType_32ARGB: source = try buffer.converted(to: kCVPixelFormatType_32BGRA)
    default: throw ImageError(.unsupported, "half-precision gray cannot be written as a PNG picture")
    }
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(source.width)
    image.height = UInt32(source.height)
    var pixels: [UInt8]
    if source.pixelFormatType == kCVPixelFormatType_OneComponent8 {
      image.format = 0  // PNG_FORMAT_GRAY
      pixels = source.withUnsafeBytes { Array($0) }
    } else {
      image.format = UInt32(PNG_FORMAT_FLAG_COLOR) | UInt32(PNG_FORMAT_FLAG_BGR)
      pixels = []
      pixels.reserveCapacity(source.width * source.height * 3)
      source.withUnsafeBytes { bytes in
        for pixel in stride(from: 0, to: bytes.count, by: 4) { pixels.append(contentsOf: bytes[pixel..<(pixel + 3)]) }
      }
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
