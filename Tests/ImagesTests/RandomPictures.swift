import CoreMLImages
import Testing

/// Random images for comparing `CImages` with the plain Swift in `Reference`.
struct RandomPictures {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  static let formats: [UInt32] = [
    kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB, kCVPixelFormatType_32RGBA, kCVPixelFormatType_OneComponent8,
    kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_OneComponent32Float,
    kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
  ]

  mutating func next() -> UInt64 {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func size() -> Int { Int(next() % 70) + 1 }

  /// Random bytes, or for floating-point gray random finite values of both signs. Every other image has gaps between
  /// its rows.
  mutating func picture(_ width: Int, _ height: Int, _ format: UInt32) throws -> PixelBuffer {
    let alignment = next() % 2 == 0 ? 1 : 16
    let image = try PixelBuffer(width: width, height: height, pixelFormatType: format, rowAlignment: alignment)
    image.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: next() >> 32) }
      switch format {
      case kCVPixelFormatType_OneComponent16Half:
        for index in 0..<(bytes.count / 2) {
          bytes.storeBytes(of: Float16(value()), toByteOffset: index * 2, as: Float16.self)
        }
      case kCVPixelFormatType_OneComponent32Float:
        for index in 0..<(bytes.count / 4) { bytes.storeBytes(of: value(), toByteOffset: index * 4, as: Float.self) }
      default: break
      }
    }
    return image
  }

  private mutating func value() -> Float { (Float(next() >> 40) / 0x1p24 - 0.25) * 300 }
}

/// Expects two images to have equal pixels, bit for bit.
func expectSame(_ found: PixelBuffer, _ expected: PixelBuffer, _ text: @autoclosure () -> String) {
  let isSame =
    found.width == expected.width && found.height == expected.height
    && found.pixelFormatType == expected.pixelFormatType && found.packedBytes == expected.packedBytes
  #expect(isSame, "\(text())")
}
