import CoreMLImages
import Foundation
import Testing

@Suite struct GeometryTests {
  /// A color image with a given red channel, row by row.
  private func picture(_ rows: [[UInt8]]) throws -> PixelBuffer {
    let image = try PixelBuffer(width: rows[0].count, height: rows.count, pixelFormatType: kCVPixelFormatType_32BGRA)
    image.withUnsafeMutableBytes { bytes in
      for (y, row) in rows.enumerated() {
        for (x, value) in row.enumerated() {
          bytes[y * image.bytesPerRow + x * 4 + 2] = value
          bytes[y * image.bytesPerRow + x * 4 + 3] = 255
        }
      }
    }
    return image
  }

  private func red(_ image: PixelBuffer) -> [[Int]] {
    (0..<image.height).map { y in (0..<image.width).map { Pictures.pixel(image, $0, y)[0] } }
  }

  /// EXIF's eight orientations of the image 1 2 3 / 4 5 6, each converted to upright.
  @Test(
    arguments: [
      (ImageOrientation.up, [[1, 2, 3], [4, 5, 6]]), (.upMirrored, [[3, 2, 1], [6, 5, 4]]),
      (.down, [[6, 5, 4], [3, 2, 1]]),
      (.downMirrored, [[4, 5, 6], [1, 2, 3]]), (.leftMirrored, [[1, 4], [2, 5], [3, 6]]),
      (.right, [[3, 6], [2, 5], [1, 4]]),
      (.rightMirrored, [[6, 3], [5, 2], [4, 1]]), (.left, [[4, 1], [5, 2], [6, 3]]),
    ] as [(ImageOrientation, [[UInt8]])])
  func everyOrientationIsUndone(orientation: ImageOrientation, stored: [[UInt8]]) throws {
    #expect(try red(picture(stored).oriented(orientation)) == [[1, 2, 3], [4, 5, 6]])
  }

  private static let ramp: [[UInt8]] = (0..<7).map { y in (0..<10).map { UInt8(y * 20 + $0 * 11) } }

  /// Pillow's bilinear filter, which weighs every pixel when it shrinks an image.
  @Test func shrinkingAgreesWithPillow() throws {
    let found = red(try picture(Self.ramp).resized(width: 4, height: 3))
    let expected = [[28, 53, 80, 105], [71, 96, 123, 148], [114, 139, 166, 191]]
    for (a, b) in zip(found.joined(), expected.joined()) { #expect(abs(a - b) <= 1) }
  }

  private static let isSanitized = ProcessInfo.processInfo.environment.keys.contains { $0.hasSuffix("SAN_OPTIONS") }

  /// Source rows are freed once they are added to the result's rows. 150,000 rows of the result's width would need 38
  /// MB.
  @Test(.enabled(if: !isSanitized, "a sanitizer keeps what is given back"))
  func longPicturesAreMadeSmall() async {
    await #expect(processExitsWith: .success) {
      func peak() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        return lines.first { $0.hasPrefix("VmHWM") }?.split(separator: " ").compactMap { Int($0) }.first ?? .max / 2
      }
      let long = try PixelBuffer(width: 1, height: 150_000, pixelFormatType: kCVPixelFormatType_OneComponent8)
      long.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = index < 75_000 ? 40 : 100 } }
      let before = try peak()
      let small = try long.resized(width: 64, height: 4)
      let after = try peak()
      let first = small.withUnsafeBytes { $0[0] }
      let last = small.withUnsafeBytes { $0[255] }
      exit(first == 40 && last == 100 && after < before + 20_000 ? 0 : 1)
    }
  }

  @Test func growingAgreesWithPillow() throws {
    let found = red(try picture(Self.ramp).resized(width: 13, height: 9))
    let expected = [
      [0, 7, 16, 24, 33, 41, 50, 58, 66, 75, 83, 92, 99], [13, 20, 29, 37, 46, 54, 63, 71, 79, 88, 96, 105, 112],
      [29, 36, 45, 53, 62, 70, 79, 87, 95, 104, 112, 121, 128],
    ]
    for (a, b) in zip(found.joined(), expected.joined()) { #expect(abs(a - b) <= 1) }
  }

  @Test func fittingKeepsTheProportionsAndLeavesBlack() throws {
    let found = red(try picture([[200, 200, 200, 200]]).resized(width: 4, height: 3, .scaleFit))
    #expect(found == [[0, 0, 0, 0], [200, 200, 200, 200], [0, 0, 0, 0]])
  }

  @Test func centreCropTakesTheMiddle() throws {
    let found = red(try picture([[0, 100, 100, 0], [0, 100, 100, 0]]).resized(width: 2, height: 2, .centerCrop))
    #expect(found == [[100, 100], [100, 100]])
  }

  @Test func turningComesBeforeScaling() throws {
    let found = red(try picture([[1, 2]]).resized(width: 1, height: 2, .scaleFillRotate90CCW))
    #expect(found == [[2], [1]])
  }

  @Test func croppingTakesAPart() throws {
    let image = try picture([[1, 2, 3, 4], [5, 6, 7, 8]])
    #expect(try red(image.cropped(x: 0.5, y: 0, width: 0.5, height: 1)) == [[3, 4], [7, 8]])
    for (x, width) in [(-0.1, 0.5), (0.6, 0.5), (0, 0), (Double.nan, 1)] {
      #expect(throws: ImageError.self) { try image.cropped(x: x, y: 0, width: width, height: 1) }
    }
  }

  /// 0.299 R + 0.587 G + 0.114 B.
  @Test func grayIsLuma() throws {
    let image = try picture([[0, 100, 255]])
    let gray = try image.converted(to: kCVPixelFormatType_OneComponent8)
    #expect(gray.withUnsafeBytes { Array($0) } == [0, 30, 76])
    let half = try image.converted(to: kCVPixelFormatType_OneComponent16Half)
    #expect(half.withUnsafeBytes { Array($0.bindMemory(to: Float16.self)) } == [0, 30, 76])
    let turned = try image.converted(to: kCVPixelFormatType_32ARGB)
    #expect(turned.withUnsafeBytes { Array($0.prefix(8)) } == [255, 0, 0, 0, 255, 100, 0, 0])
  }
}
