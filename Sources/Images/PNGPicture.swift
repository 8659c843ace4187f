import CPNG

/// A PNG decoder with libpng.
enum PNGPicture: PictureReader {
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    var image = png_image()
    defer { png_image_free(&image) }
    try begin(&image, bytes)
    return PictureHeader(
      format: .png, width: Int(image.width), height: Int(image.height), orientation: orientation(bytes),
      hasAlpha: image.format & UInt32(PNG_FORMAT_FLAG_ALPHA) != 0,
      colours: image.format & UInt32(PNG_FORMAT_FLAG_COLOR) == 0 ? .gray : .rgb)
  }

  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?) {
    var image = png_image()
    defer { png_image_free(&image) }
    func failure() -> ImageError { damaged(image) }
    try begin(&image, bytes)
    let buffer = try PixelBuffer(
      uninitializedWidth: Int(image.width), height: Int(image.height), pixelFormatType: kCVPixelFormatType_32BGRA)
    // 16-bit samples without gamma information use sRGB, as 8-bit samples do. libpng would assume linear light.
    image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
    // PNG_FORMAT_BGRA
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR) | UInt32(PNG_FORMAT_FLAG_BGR) | UInt32(PNG_FORMAT_FLAG_ALPHA)
    let finished = buffer.withUnsafeMutableBytes { pixels in
      png_image_finish_read(&image, nil, pixels.baseAddress, Int32(buffer.bytesPerRow), nil)
    }
    // A warning (1) leaves the image valid; an error (2 and above) does not.
    guard finished != 0 else { throw failure() }
    return (buffer, orientation(bytes))
  }

  private static func begin(_ image: inout png_image, _ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    image.version = UInt32(PNG_IMAGE_VERSION)
    guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { throw damaged(image) }
  }

  private static func damaged(_ image: png_image) -> ImageError {
    let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return ImageError(.invalid, "the PNG picture is damaged: \(text)")
  }

  /// The orientation in an EXIF chunk, anywhere in the file.
  private static func orientation(_ bytes: UnsafeRawBufferPointer) -> ImageOrientation? {
    var place = 8
    while place <= bytes.count - 12 {
      let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
      guard length <= bytes.count - place - 12 else { return nil }
      if bytes[(place + 4)...].starts(with: "eXIf".utf8) {
        return ImageOrientation(exif: UnsafeRawBufferPointer(rebasing: bytes[(place + 8)..<(place + 8 + length)]))
      }
      place += length + 12
    }
    return nil
  }
}
