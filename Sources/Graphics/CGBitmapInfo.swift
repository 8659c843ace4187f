// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// How pixels say how opaque they are.
public enum CGImageAlphaInfo: UInt32, Sendable {
  /// There is no alpha.
  case none = 0
  /// Last, and colours are multiplied by it.
  case premultipliedLast = 1
  /// First, and colours are multiplied by it.
  case premultipliedFirst = 2
  /// Last.
  case last = 3
  /// First.
  case first = 4
  /// The last byte says nothing.
  case noneSkipLast = 5
  /// The first byte says nothing.
  case noneSkipFirst = 6
  /// There is nothing but alpha.
  case alphaOnly = 7
}

/// Where alpha is and how bytes are ordered.
public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The bits of a `CGImageAlphaInfo`.
  public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
  /// Components are floating-point numbers.
  public static let floatComponents = CGBitmapInfo(rawValue: 1 << 8)
  /// The bits that say how bytes are ordered.
  public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
  /// As channels come.
  public static let byteOrderDefault: CGBitmapInfo = []
  /// Numbers of 16 bits, least significant byte first.
  public static let byteOrder16Little = CGBitmapInfo(rawValue: 1 << 12)
  /// Numbers of 32 bits, least significant byte first.
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
  /// Numbers of 16 bits, most significant byte first.
  public static let byteOrder16Big = CGBitmapInfo(rawValue: 3 << 12)
  /// Numbers of 32 bits, most significant byte first.
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 4 << 12)
}

/// How bytes are ordered: the part of a `CGBitmapInfo` that says so.
public enum CGImageByteOrderInfo: UInt32, Sendable {
  /// The bits that say how bytes are ordered.
  case orderMask = 0x7000
  /// As channels come.
  case orderDefault = 0x0000
  /// Numbers of 16 bits, least significant byte first.
  case order16Little = 0x1000
  /// Numbers of 32 bits, least significant byte first.
  case order32Little = 0x2000
  /// Numbers of 16 bits, most significant byte first.
  case order16Big = 0x3000
  /// Numbers of 32 bits, most significant byte first.
  case order32Big = 0x4000
}

/// What drawing does with colours that cannot be shown. There are none here.
public enum CGColorRenderingIntent: Int32, Sendable {
  /// What the system does unless something else is said.
  case defaultIntent = 0
  /// The nearest colour that can be shown; white is not moved.
  case absoluteColorimetric = 1
  /// The nearest colour that can be shown, after white has become that of the target.
  case relativeColorimetric = 2
  /// All colours move a little, so that they stay apart from each other.
  case perceptual = 3
  /// Colours stay as strong as they are, whatever becomes of their hue.
  case saturation = 4
}
