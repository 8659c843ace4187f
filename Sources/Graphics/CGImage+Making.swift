import Foundation

extension CGImage {
  /// Decodes a PNG file, in its stored orientation.
  ///
  /// `decode`, a remapping of samples, is not supported: it must be nil, or the result is nil. Interpolation and intent
  /// only affect drawing, and are ignored.
  public convenience init?(
    pngDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    self.init(source, .png, decode)
  }

  /// Decodes a JPEG file, in its stored orientation: the EXIF orientation is not applied.
  public convenience init?(
    jpegDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    self.init(source, .jpeg, decode)
  }

  private convenience init?(_ source: CGDataProvider, _ format: PictureFormat, _ decode: UnsafePointer<CGFloat>?) {
    guard decode == nil, let data = source.data else { return nil }
    let picture = (data as Data).withUnsafeBytes { bytes in
      PictureFormat(bytes) == format ? try? ImageDecoder.decode(bytes, orientation: .up) : nil
    }
    guard let picture else { return nil }
    self.init(picture)
  }

  /// Creates an image with a copy of pixels whose format equals a supported pixel format. Supported are 8-bit gray
  /// without alpha, and four 8-bit channels. With four channels, alpha is first or last, and straight or skipped. Bytes
  /// are in memory order, or in little-endian 32-bit units.
  ///
  /// Nil for other formats, with a `decode`, and if the provider has fewer bytes than the rows need.
  public convenience init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    guard decode == nil, bitsPerComponent == 8, let data = provider.data,
      let layout = BitmapLayout(space, bitmapInfo), bitsPerPixel == layout.bytesPerPixel * 8,
      let pixels = try? layout.picture(data as Data, width: width, height: height, bytesPerRow: bytesPerRow)
    else { return nil }
    self.init(pixels)
  }
}
