// swift-format-ignore-file: AlwaysUseLowerCamelCase
/// A code of four characters, as pixel formats are named by.
public typealias OSType = UInt32

/// Blue, green, red and alpha, a byte each.
public let kCVPixelFormatType_32BGRA: UInt32 = 0x4247_5241
/// Alpha, red, green and blue, a byte each.
public let kCVPixelFormatType_32ARGB: UInt32 = 0x0000_0020
/// Red, green, blue and alpha, a byte each.
public let kCVPixelFormatType_32RGBA: UInt32 = 0x5247_4241
/// Luma in one plane; blue and red differences of each two by two pixels in another. Luma is 16 to 235, differences are 16 to 240.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: UInt32 = 0x3432_3076
/// Luma in one plane; blue and red differences of each two by two pixels in another. All are 0 to 255.
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: UInt32 = 0x3432_3066
/// Gray, a byte.
public let kCVPixelFormatType_OneComponent8: UInt32 = 0x4C30_3038
/// Gray, a half-precision number.
public let kCVPixelFormatType_OneComponent16Half: UInt32 = 0x4C30_3068
/// Gray, a single-precision number.
public let kCVPixelFormatType_OneComponent32Float: UInt32 = 0x4C30_3066

/// What a pixel format means.
package enum PixelFormat: Equatable {
  /// Bytes; where red, green, blue and alpha are.
  case colour(red: Int, green: Int, blue: Int, alpha: Int)
  case gray8
  case gray16Half
  case gray32Float
  /// Two planes of luma and differences.
  case video(isFullRange: Bool)

  /// Nil for a format that is not known here.
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

  /// Bytes of one pixel; nil where a pixel is spread over planes.
  package var bytesPerPixel: Int? {
    switch self {
    case .colour, .gray32Float: 4
    case .gray8: 1
    case .gray16Half: 2
    case .video: nil
    }
  }

  /// Gray in numbers that have no white: they are not made into bytes.
  package var isFloat: Bool { self == .gray16Half || self == .gray32Float }

  /// A code as people read it: its four characters, or its number.
  package static func name(_ code: UInt32) -> String {
    let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
    guard characters.allSatisfy({ (0x21...0x7E).contains($0) }) else { return "\(code)" }
    return "'\(String(decoding: characters, as: UTF8.self))'"
  }
}
