import Foundation

extension CGImage {
  private var format: PixelFormat? { PixelFormat(pixelBuffer.pixelFormatType) }

  /// Bits per channel: 8, or those of floating-point gray.
  public var bitsPerComponent: Int {
    switch format {
    case .gray16Half: 16
    case .gray32Float: 32
    default: 8
    }
  }

  /// Bits per pixel, all channels combined.
  public var bitsPerPixel: Int { format?.bytesPerPixel.map { $0 * 8 } ?? 12 }

  /// The color space of the pixels. For video formats it is the space of the converted colors; for a mask nil.
  public var colorSpace: CGColorSpace? {
    switch format {
    case _ where isMask: nil
    case .gray8, .gray16Half, .gray32Float: CGColorSpaceCreateDeviceGray()
    default: CGColorSpaceCreateDeviceRGB()
    }
  }

  /// A copy of the pixels in memory layout, with `bytesPerRow` between rows, and planes concatenated.
  public var dataProvider: CGDataProvider? {
    guard pixelBuffer.planes.isEmpty else { return CGDataProvider(Data(pixelBuffer.planeBytes) as NSData) }
    return CGDataProvider(pixelBuffer.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) })
  }

  /// Where pixels store alpha: `first` for 32ARGB and 32BGRA, `last` for 32RGBA, all straight; `none` for gray and
  /// planar formats.
  public var alphaInfo: CGImageAlphaInfo {
    guard case .colour(_, _, _, let alpha)? = format else { return .none }
    // 32BGRA is a little-endian 32-bit unit whose most significant byte is alpha.
    return alpha == 0 || pixelBuffer.pixelFormatType == kCVPixelFormatType_32BGRA ? .first : .last
  }

  /// `alphaInfo`, the byte order, and whether components are floating-point values.
  public var bitmapInfo: CGBitmapInfo {
    var info = CGBitmapInfo(rawValue: alphaInfo.rawValue)
    if pixelBuffer.pixelFormatType == kCVPixelFormatType_32BGRA { info.insert(.byteOrder32Little) }
    if format == .gray16Half { info.insert([.floatComponents, .byteOrder16Little]) }
    if format == .gray32Float { info.insert([.floatComponents, .byteOrder32Little]) }
    return info
  }

  /// The byte order in `bitmapInfo`.
  public var byteOrderInfo: CGImageByteOrderInfo {
    CGImageByteOrderInfo(rawValue: bitmapInfo.intersection(.byteOrderMask).rawValue) ?? .orderDefault
  }

  /// The part inside a rectangle of pixels whose origin is the top left corner. The rectangle is extended to whole
  /// pixels and clipped to the image. Nil if nothing remains.
  public func cropping(to rect: CGRect) -> CGImage? {
    guard [rect.minX, rect.minY, rect.maxX, rect.maxY].allSatisfy(\.isFinite) else { return nil }
    func edge(_ place: CGFloat, _ rule: FloatingPointRoundingRule, upTo limit: Int) -> Int {
      Int(min(max(place.rounded(rule), 0), CGFloat(limit)))
    }
    let (left, right) = (edge(rect.minX, .down, upTo: width), edge(rect.maxX, .up, upTo: width))
    let (top, bottom) = (edge(rect.minY, .down, upTo: height), edge(rect.maxY, .up, upTo: height))
    guard left < right, top < bottom else { return nil }
    return (try? pixelBuffer.cropped(left: left, top: top, width: right - left, height: bottom - top)).map {
      isMask ? CGImage(mask: $0) : CGImage($0)
    }
  }
}
