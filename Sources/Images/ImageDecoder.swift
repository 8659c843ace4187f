import CJPEG
import CPNG

/// Reads PNG and JPEG pictures as they are meant to be seen: the orientation that EXIF tells is carried out.
public enum ImageDecoder {
  /// A picture in memory as `32BGRA`, upright. `orientation` overrules what the file says of it.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, orientation: ImageOrientation? = nil
  ) throws(ImageError) -> PixelBuffer {
    switch PictureFormat(bytes) {
    case .png: return try png(bytes).oriented(orientation ?? .up)
    case .jpeg: return try jpeg(bytes).oriented(orientation ?? .told(by: bytes) ?? .up)
    case nil: throw ImageError(.unsupported, "expected a PNG or JPEG picture, found neither")
    }
  }

  /// What the head of a picture says of it; its pixels are not looked at.
  package static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    switch PictureFormat(bytes) {
    case .png:
      var image = png_image()
      defer { png_image_free(&image) }
      try begin(&image, bytes)
      return PictureHeader(
        format: .png, width: Int(image.width), height: Int(image.height), orientation: nil,
        hasAlpha: image.format & UInt32(PNG_FORMAT_FLAG_ALPHA) != 0,
        colours: image.format & UInt32(PNG_FORMAT_FLAG_COLOR) == 0 ? .gray : .rgb)
    case .jpeg:
      var image = CJPEGImage()
      _ = try begin(&image, bytes)
      return PictureHeader(
        format: .jpeg, width: Int(image.width), height: Int(image.height),
        orientation: .told(by: bytes), hasAlpha: false,
        colours: image.components == 1 ? .gray : image.components == 4 ? .cmyk : .rgb)
    case nil: throw ImageError(.unsupported, "expected a PNG or JPEG picture, found neither")
    }
  }

  private static func png(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PixelBuffer {
    var image = png_image()
    defer { png_image_free(&image) }
    func failure() -> ImageError { damaged(image) }
    try begin(&image, bytes)
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

  private static func begin(_ image: inout png_image, _ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    image.version = UInt32(PNG_IMAGE_VERSION)
    guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { throw damaged(image) }
  }

  private static func damaged(_ image: png_image) -> ImageError {
    let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return ImageError(.invalid, "the PNG picture is damaged: \(text)")
  }

  private static func begin(
    _ image: inout CJPEGImage, _ bytes: UnsafeRawBufferPointer
  ) throws(ImageError) -> UnsafeRawPointer {
    guard let base = bytes.baseAddress else { throw ImageError(.invalid, "the JPEG picture is empty") }
    guard cjpeg_read_header(base, bytes.count, &image) == 0 else { throw damaged(image) }
    return base
  }

  private static func damaged(_ image: CJPEGImage) -> ImageError {
    let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return ImageError(.invalid, "the JPEG picture is damaged: \(text)")
  }

  private static func jpeg(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PixelBuffer {
    var image = CJPEGImage()
    func failure() -> ImageError { damaged(image) }
    let base = try begin(&image, bytes)
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
