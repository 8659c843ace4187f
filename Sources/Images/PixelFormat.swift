// swift-format-ignore-file: AlwaysUseLowerCamelCase
/// A four-character code, such as a pixel format.
public typealias OSType = UInt32

/// Blue, green, red and alpha, one byte each.
public let kCVPixelFormatType_32BGRA: UInt32 = 0x4247_5241
/// Alpha, red, green and blue, one byte each.
public let kCVPixelFormatType_32ARGB: UInt32 = 0x0000_0020
/// Red, green, blue and alpha, one byte each.
public let kCVPixelFormatType_32RGBA: UInt32 = 0x5247_4241
/// Luma in one plane; blue and red chroma of each 2 x 2 pixels in another. Luma is 16 to 235, chroma is 16 to 240.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: UInt32 = 0x3432_3076
/// Luma in one plane; blue and red chroma of each 2 x 2 pixels in another. All values are 0 to 255.
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: UInt32 = 0x3432_3066
/// 8-bit gray.
public let kCVPixelFormatType_OneComponent8: UInt32 = 0x4C30_3038
/// fp16 gray.
public let kCVPixelFormatType_OneComponent16Half: UInt32 = 0x4C30_3068
/// fp32 gray.
public let kCVPixelFormatType_OneComponent32Float: UInt32 = 0x4C30_3066

/// The meaning of a pixel format.
package enum PixelFormat: Equatable {
  /// Byte offsets of red, green, blue and alpha.
  case colour(red: Int, green: Int, blue: Int, alpha: Int)
  case gray8
  case gray16Half
  case gray32Float
  /// Two planes: luma and chroma.
  case video(isFullRange: Bool)

  /// Nil for an unknown format.
  package init?(_ code: UInt32) {
    switch code {
    case kCVPixelFormatType_32BGRA: self = .colour(red: 2, green: 1, blue: 0, alpha: 3)
    case kCVPixelFormatType_32ARGB: self = .colour(red: 1, green: 2, blue: 3, alpha: 0)
    case kCVPixelFormatType_32RGBA: self = .colour(red: 0, green: 1, blue: 2, alpha: 3)
    case kCVPixelFormatType_OneComponent8: self = .gray8
    case kCVPixelFormatType_OneComponent16Half: self = .gray16Half
    case kCVPixelFormatType_OneComponent32Float: self = .gray32Float
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: self = .video(isFullRange: false)
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: self = .video(isFullRange: true)
    default: return nil
    }
  }

  /// Bytes per pixel; nil for planar formats.
  package var bytesPerPixel: Int? {
    switch self {
    case .colour, .gray32Float: 4
    case .gray8: 1
    case .gray16Half: 2
    case .video: nil
    }
  }

  /// Whether this is floating-point gray. It has no white point, so it does not convert to bytes.
  package var isFloat: Bool { self == .gray16Half || self == .gray32Float }

  /// A readable form of a code: its four characters, or its number.
  package static func name(_ code: UInt32) -> String {
    let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
    guard characters.allSatisfy({ (0x21...0x7E).contains($0) }) else { return "\(code)" }
    return "'\(String(decoding: characters, as: UTF8.self))'"
  }
}
