import Foundation

extension CGImage {
  private var format: PixelFormat? { PixelFormat(pixelBuffer.pixelFormatType) }

  /// Bits of one channel of a pixel: 8, or those of floating-point gray.
  public var bitsPerComponent: Int {
    switch format {
    case .gray16Half: 16
    case .gray32Float: 32
    default: 8
    }
  }

  /// Bits of one pixel, all channels together.
  public var bitsPerPixel: Int { format?.bytesPerPixel.map { $0 * 8 } ?? 12 }

  /// The pixels as they lie in memory, `bytesPerRow` from row to row.
  public var dataProvider: CGDataProvider? {
    CGDataProvider(pixelBuffer.withUnsafeBytes { Data($0) })
  }

  /// How pixels say how opaque they are: 32BGRA and 32RGBA in their last byte of a number, with colours that are not multiplied by it.
  public var alphaInfo: CGImageAlphaInfo {
    guard case .colour(_, _, _, let alpha)? = format else { return .none }
    // 32BGRA is a number of four bytes, least significant first, whose most significant one is alpha.
    return alpha == 0 || pixelBuffer.pixelFormatType == kCVPixelFormatType_32BGRA ? .first : .last
  }

  /// `alphaInfo`, the order of bytes, and whether components are floating-point numbers.
  public var bitmapInfo: CGBitmapInfo {
    var info = CGBitmapInfo(rawValue: alphaInfo.rawValue)
    if pixelBuffer.pixelFormatType == kCVPixelFormatType_32BGRA { info.insert(.byteOrder32Little) }
    if format == .gray16Half { info.insert([.floatComponents, .byteOrder16Little]) }
    if format == .gray32Float { info.insert([.floatComponents, .byteOrder32Little]) }
    return info
  }

  /// The part inside a rectangle of pixels whose origin is the top left corner: the rectangle grows to whole pixels, and what is outside of
  /// the picture is left away. Nil where nothing is left.
  public func cropping(to rect: CGRect) -> CGImage? {
    let edges = [rect.minX, rect.minY, rect.maxX, rect.maxY].map(Double.init)
    guard edges.allSatisfy(\.isFinite) else { return nil }
    let left = Int(max(edges[0].rounded(.down), 0).clamped(to: width))
    let top = Int(max(edges[1].rounded(.down), 0).clamped(to: height))
    let right = Int(edges[2].rounded(.up).clamped(to: width))
    let bottom = Int(edges[3].rounded(.up).clamped(to: height))
    guard left < right, top < bottom else { return nil }
    return (try? pixelBuffer.cropped(left: left, top: top, width: right - left, height: bottom - top)).map {
      CGImage($0)
    }
  }
}

extension Double {
  fileprivate func clamped(to limit: Int) -> Double { Swift.min(Swift.max(self, 0), Double(limit)) }
}
