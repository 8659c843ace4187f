import Foundation

/// Core ML's pixel formats.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCVPixelFormatType_32BGRA: UInt32 = 0x4247_5241
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCVPixelFormatType_32ARGB: UInt32 = 0x0000_0020
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCVPixelFormatType_OneComponent8: UInt32 = 0x4C30_3038
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCVPixelFormatType_OneComponent16Half: UInt32 = 0x4C30_3068

/// An image in memory: rows of pixels in one of Core ML's formats. Passed by reference.
public final class PixelBuffer: @unchecked Sendable {  // whoever writes keeps readers away
  public let width: Int
  public let height: Int
  public let pixelFormatType: UInt32
  public let bytesPerRow: Int
  private let memory: UnsafeMutableRawBufferPointer

  /// More pixels than this in one image are refused.
  public static let maximumPixels = 1 << 28

  /// An image of zeros.
  public init(width: Int, height: Int, pixelFormatType: UInt32) throws(ImageError) {
    guard let size = Self.bytesPerPixel(pixelFormatType) else {
      throw ImageError(.unsupported, "the pixel format \(pixelFormatType) is not supported")
    }
    guard width > 0, height > 0, width <= Self.maximumPixels / height else {
      throw ImageError(.invalid, "an image cannot have \(width) x \(height) pixels")
    }
    var pixels: UnsafeMutableRawPointer?
    guard posix_memalign(&pixels, 64, width * height * size) == 0, let pixels else {
      throw ImageError(.outOfMemory, "there is no memory for an image of \(width) x \(height) pixels")
    }
    self.width = width
    self.height = height
    self.pixelFormatType = pixelFormatType
    bytesPerRow = width * size
    memory = UnsafeMutableRawBufferPointer(start: pixels, count: width * height * size)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { free(memory.baseAddress) }

  public static func bytesPerPixel(_ format: UInt32) -> Int? {
    switch format {
    case kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB: 4
    case kCVPixelFormatType_OneComponent8: 1
    case kCVPixelFormatType_OneComponent16Half: 2
    default: nil
    }
  }

  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    try body(memory)
  }
}
