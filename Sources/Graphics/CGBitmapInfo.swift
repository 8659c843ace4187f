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

/// What numbers of pixels stand for: gray, or red, green and blue as sRGB has them. Colours are never converted.
public final class CGColorSpace: Sendable {
  /// How many numbers a colour is.
  public let numberOfComponents: Int

  init(components: Int) { numberOfComponents = components }

  /// The space of a name: `sRGB` or `genericGrayGamma2_2`. Nil for others, whose colours would have to be converted.
  public convenience init?(name: CFString) {
    switch name {
    case CGColorSpace.sRGB: self.init(components: 3)
    case CGColorSpace.genericGrayGamma2_2: self.init(components: 1)
    default: return nil
    }
  }

  /// Red, green and blue, as sRGB has them.
  nonisolated(unsafe) public static let sRGB: CFString = "kCGColorSpaceSRGB"
  /// Gray.
  nonisolated(unsafe) public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"

  /// Whether colours are gray or of three parts.
  public var model: CGColorSpaceModel { numberOfComponents == 1 ? .monochrome : .rgb }
}

/// What the numbers of colours are.
public enum CGColorSpaceModel: Int32, Sendable {
  /// Gray.
  case monochrome = 0
  /// Red, green and blue.
  case rgb = 1
}

/// Red, green and blue.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace(components: 3) }

/// Gray.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace(components: 1) }
