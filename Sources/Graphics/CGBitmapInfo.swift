// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Where pixels store alpha.
public enum CGImageAlphaInfo: UInt32, Sendable {
  /// No alpha.
  case none = 0
  /// Alpha last, premultiplied.
  case premultipliedLast = 1
  /// Alpha first, premultiplied.
  case premultipliedFirst = 2
  /// Alpha last, straight.
  case last = 3
  /// Alpha first, straight.
  case first = 4
  /// No alpha; the last byte is unused.
  case noneSkipLast = 5
  /// No alpha; the first byte is unused.
  case noneSkipFirst = 6
  /// Only alpha.
  case alphaOnly = 7
}

/// The position of alpha and the byte order.
public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The bits of a `CGImageAlphaInfo`.
  public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
  /// Components are floating-point values.
  public static let floatComponents = CGBitmapInfo(rawValue: 1 << 8)
  /// The bits of the byte order.
  public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
  /// The order of the channels.
  public static let byteOrderDefault: CGBitmapInfo = []
  /// 16-bit units, little-endian.
  public static let byteOrder16Little = CGBitmapInfo(rawValue: 1 << 12)
  /// 32-bit units, little-endian.
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
  /// 16-bit units, big-endian.
  public static let byteOrder16Big = CGBitmapInfo(rawValue: 3 << 12)
  /// 32-bit units, big-endian.
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 4 << 12)
}

/// The byte order of a `CGBitmapInfo`.
public enum CGImageByteOrderInfo: UInt32, Sendable {
  /// The bits of the byte order.
  case orderMask = 0x7000
  /// The order of the channels.
  case orderDefault = 0x0000
  /// 16-bit units, little-endian.
  case order16Little = 0x1000
  /// 32-bit units, little-endian.
  case order32Little = 0x2000
  /// 16-bit units, big-endian.
  case order16Big = 0x3000
  /// 32-bit units, big-endian.
  case order32Big = 0x4000
}

/// How drawing treats colors outside the gamut. There are none here.
public enum CGColorRenderingIntent: Int32, Sendable {
  /// The system's default.
  case defaultIntent = 0
  /// The nearest color in the gamut; white is unchanged.
  case absoluteColorimetric = 1
  /// The nearest color in the gamut, relative to the white of the target.
  case relativeColorimetric = 2
  /// Compresses all colors slightly, so that they stay distinct.
  case perceptual = 3
  /// Preserves the saturation, at the cost of the hue.
  case saturation = 4
}
