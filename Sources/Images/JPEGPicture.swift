import CJPEG

/// A JPEG decoder with libjpeg-turbo.
enum JPEGPicture: PictureReader {
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    var image = CJPEGImage()
    _ = try begin(&image, bytes)
    return PictureHeader(
      format: .jpeg, width: Int(image.width), height: Int(image.height), orientation: .told(by: bytes),
      hasAlpha: false, colours: image.components == 1 ? .gray : image.components == 4 ? .cmyk : .rgb)
  }

  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?) {
    var image = CJPEGImage()
    func failure() -> ImageError { damaged(image) }
    let base = try begin(&image, bytes)
    let buffer = try PixelBuffer(
      uninitializedWidth: Int(image.width), height: Int(image.height), pixelFormatType: kCVPixelFormatType_32BGRA)
    let decoded = buffer.withUnsafeMutableBytes { pixels -> Int32 in
      guard let target = pixels.baseAddress else { return -1 }
      return cjpeg_decode(base, bytes.count, &image, target.assumingMemoryBound(to: UInt8.self))
    }
    guard decoded == 0 else { throw failure() }
    return (buffer, .told(by: bytes))
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
}
