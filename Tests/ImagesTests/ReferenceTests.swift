import CoreMLImages
import Foundation
import Testing

/// The C code gives the results of plain Swift bit for bit.
@Suite struct ReferenceTests {
  private static let options: [ImageCropAndScale] = [
    .centerCrop, .scaleFit, .scaleFill, .scaleFitRotate90CCW, .scaleFillRotate90CCW,
  ]

  @Test(arguments: RandomPictures.formats, options)
  func resizing(format: UInt32, option: ImageCropAndScale) throws {
    var random = RandomPictures(seed: UInt64(format) << 16 | UInt64(option.rawValue))
    for _ in 0..<24 {
      let image = try random.picture(random.size(), random.size(), format)
      let (width, height) = (random.size(), random.size())
      try expectSame(
        image.resized(width: width, height: height, option),
        image.referenceResized(width: width, height: height, option),
        "\(image.width) x \(image.height) to \(width) x \(height)")
    }
  }

  @Test(
    arguments: RandomPictures.formats,
    [(1, 1, 300, 2), (1, 900, 7, 3), (900, 1, 3, 7), (641, 483, 224, 224), (224, 225, 333, 97), (5, 3, 401, 299)])
  func resizingFar(format: UInt32, size: (Int, Int, Int, Int)) throws {
    var random = RandomPictures(seed: UInt64(size.0))
    let image = try random.picture(size.0, size.1, format)
    try expectSame(
      image.resized(width: size.2, height: size.3), image.referenceResized(width: size.2, height: size.3), "\(size)")
  }

  @Test(arguments: RandomPictures.formats, RandomPictures.formats)
  func conversion(from: UInt32, to: UInt32) throws {
    var random = RandomPictures(seed: UInt64(from) << 32 | UInt64(to))
    for _ in 0..<20 {
      let image = try random.picture(random.size(), random.size(), from)
      guard let expected = try? image.referenceConverted(to: to) else {
        #expect(throws: ImageError.self) { try image.converted(to: to) }
        continue
      }
      try expectSame(image.converted(to: to), expected, "\(image.width) x \(image.height)")
    }
  }

  @Test(arguments: RandomPictures.formats, ImageOrientation.allCases)
  func orientation(format: UInt32, orientation: ImageOrientation) throws {
    var random = RandomPictures(seed: UInt64(format) << 8 | UInt64(orientation.rawValue))
    for _ in 0..<8 {
      let image = try random.picture(random.size(), random.size(), format)
      try expectSame(
        image.oriented(orientation), image.referenceOriented(orientation), "\(image.width) x \(image.height)")
    }
  }

  /// Whole blocks, and remainders.
  @Test(arguments: ImageOrientation.allCases, [(128, 16), (131, 263), (150, 129)])
  func orientationOfBlocks(orientation: ImageOrientation, size: (Int, Int)) throws {
    var random = RandomPictures(seed: UInt64(orientation.rawValue))
    for format in [kCVPixelFormatType_32BGRA, kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_OneComponent8] {
      let image = try random.picture(size.0, size.1, format)
      try expectSame(image.oriented(orientation), image.referenceOriented(orientation), "\(size)")
    }
  }

  /// All fp16 values, including infinity and NaN.
  @Test func everyHalf() throws {
    let image = try PixelBuffer(
      width: 256, height: 256, pixelFormatType: kCVPixelFormatType_OneComponent16Half)
    image.withUnsafeMutableBytes { bytes in
      for value in 0..<65536 {
        bytes.storeBytes(of: UInt16(value), toByteOffset: value * 2, as: UInt16.self)
      }
    }
    let float = kCVPixelFormatType_OneComponent32Float
    try expectSame(image.converted(to: float), image.referenceConverted(to: float), "fp16 to fp32")
  }

  /// Bit patterns around every fp16 value: ties, overflow, subnormals and NaN.
  @Test func floatsAroundEveryHalf() throws {
    let nudges: [Int64] = [0, 1, -1, 0xFFF, 0x1000, 0x1001, 0x7FF, 0x1FFF]
    let image = try PixelBuffer(
      width: 65536, height: nudges.count, pixelFormatType: kCVPixelFormatType_OneComponent32Float)
    image.withUnsafeMutableBytes { bytes in
      for (row, nudge) in nudges.enumerated() {
        for value in 0..<65536 {
          let near = Float(Float16(bitPattern: UInt16(value))).bitPattern
          bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: Int64(near) + nudge), toByteOffset: (row << 16 | value) * 4, as: UInt32.self)
        }
      }
    }
    let half = kCVPixelFormatType_OneComponent16Half
    try expectSame(image.converted(to: half), image.referenceConverted(to: half), "fp32 to fp16")
  }

  /// The reciprocal multiplication that replaces a division by 1000 is exact for every possible sum.
  @Test func everyLuma() throws {
    var seen = [Bool](repeating: false, count: 255_501)
    let image = try PixelBuffer(width: 256, height: 256, pixelFormatType: kCVPixelFormatType_32RGBA)
    for blue in stride(from: 0, through: 255, by: 15) {
      image.withUnsafeMutableBytes { bytes in
        for red in 0..<256 {
          for green in 0..<256 {
            let place = (red << 8 | green) * 4
            (bytes[place], bytes[place + 1], bytes[place + 2]) = (UInt8(red), UInt8(green), UInt8(blue))
            seen[299 * red + 587 * green + 114 * blue + 500] = true
          }
        }
      }
      let gray = kCVPixelFormatType_OneComponent8
      try expectSame(image.converted(to: gray), image.referenceConverted(to: gray), "blue \(blue)")
    }
    #expect(seen.count { $0 } > 150_000)
  }
}
