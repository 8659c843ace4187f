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

  /// What the numbers of pixels stand for; of video formats, the colours that they become; nil of a mask.
  public var colorSpace: CGColorSpace? {
    switch format {
    case _ where isMask: nil
    case .gray8, .gray16Half, .gray32Float: CGColorSpaceCreateDeviceGray()
    default: CGColorSpaceCreateDeviceRGB()
    }
  }

  /// A copy of the pixels as they lie in memory, `bytesPerRow` from row to row; planes one after the other.
  public var dataProvider: CGDataProvider? {
    guard pixelBuffer.planes.isEmpty else { return CGDataProvider(Data(pixelBuffer.planeBytes) as NSData) }
    return CGDataProvider(pixelBuffer.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) })
  }

  /// How pixels say how opaque they are: `first` of 32ARGB, and of 32BGRA, `last` of 32RGBA, with colours that are not multiplied by it; `none`
  /// of gray and of formats in planes.
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

  /// How bytes are ordered: the part of `bitmapInfo` that says so.
  public var byteOrderInfo: CGImageByteOrderInfo {
    CGImageByteOrderInfo(rawValue: bitmapInfo.intersection(.byteOrderMask).rawValue) ?? .orderDefault
  }

  /// The part inside a rectangle of pixels whose origin is the top left corner: the rectangle grows to whole pixels, and what is outside of
  /// the picture is left away. Nil where nothing is left.
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
