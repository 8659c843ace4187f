import Foundation

extension CGImage {
  /// The PNG picture that a provider has the bytes of, as it is stored.
  ///
  /// Samples mean what they say: `decode`, which would map them elsewhere, must be nil, or there is no picture. Interpolation and intent
  /// speak of drawing, and nothing is drawn here.
  public convenience init?(
    pngDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    self.init(source, .png, decode)
  }

  /// The JPEG picture that a provider has the bytes of, as it is stored: not turned as its EXIF data tells.
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

  /// A copy of pixels in memory, in a form that there is a pixel format for: 8 bits of gray without alpha, or four channels of 8 bits,
  /// alpha first or last, colours not multiplied by it (or alpha skipped), in the order of memory or as little-endian numbers of 32 bits.
  ///
  /// Nil for other forms, for a `decode`, and where the provider has less bytes than the rows take.
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
