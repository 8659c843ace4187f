import CImages
import CoreMLImages
import Foundation
import Testing

/// Kernels that convert images to tensors and tensors to images, compared with plain Swift.
@Suite struct KernelTests {
  private static let bgra = CImagesOrder(red: 2, green: 1, blue: 0, alpha: 3)

  /// The conversion of an image output: NaN becomes 0.
  private func byte(_ value: Float) -> UInt8 {
    value.isNaN ? 0 : UInt8(min(max(value.rounded(.toNearestOrEven), 0), 255))
  }

  /// Midpoints between integers with their neighbors, and values far outside of the range.
  private static let values: [Float] = {
    var values: [Float] = [
      .nan, -.nan, .signalingNaN, .infinity, -.infinity, -0.0, 1e30, -1e30, .leastNonzeroMagnitude,
    ]
    for index in 0..<600 {
      let half = Float(index) * 0.5 - 20
      values += [half, half.nextUp, half.nextDown]
    }
    return values
  }()

  @Test(arguments: [[2, 1, 0], [0, 1, 2], [1, 2, 3], [3, 2, 1]] as [[UInt8]])
  func coloursBecomePlanes(order: [UInt8]) throws {
    var random = RandomPictures(seed: UInt64(order[0]))
    for _ in 0..<40 {
      let image = try random.picture(random.size(), random.size(), kCVPixelFormatType_32BGRA)
      let plane = image.width * image.height
      var found = [Float](repeating: -1, count: 3 * plane)
      image.withUnsafeBytes { bytes in
        guard let first = bytes.baseAddress else { return }
        let source = CImagesSource(bytes: first, row_bytes: image.bytesPerRow)
        cimages_planes_of_colours(source, order, &found, image.width, image.height)
      }
      let expected = image.withUnsafeBytes { bytes in
        order.flatMap { channel in
          (0..<plane).map { place in
            Float(bytes[place / image.width * image.bytesPerRow + place % image.width * 4 + Int(channel)])
          }
        }
      }
      #expect(found == expected)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 70, 450])
  func planesBecomeColours(width: Int) throws {
    let height = Self.values.count / width
    let plane = width * height
    let planes = (0..<3).map { shift in (0..<plane).map { Self.values[($0 + shift * 7) % Self.values.count] } }
    let image = try PixelBuffer(
      width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA, rowAlignment: 32)
    image.withUnsafeMutableBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      let target = CImagesTarget(bytes: first, row_bytes: image.bytesPerRow)
      cimages_colours_of_planes(planes[0], planes[1], planes[2], target, width, height)
    }
    var expected: [UInt8] = []
    for place in 0..<plane { expected += planes.map { byte($0[place]) } + [255] }
    #expect(image.packedBytes == expected)
  }

  @Test(arguments: [0, 1, 5, 16, 33])
  func valuesBecomeBytes(skipped: Int) {
    let values = Array(Self.values.dropFirst(skipped))
    var found = [UInt8](repeating: 1, count: values.count)
    cimages_bytes_of_fp32(values, &found, values.count)
    #expect(found == values.map(byte))
  }

  /// Three bytes per pixel to four and back, with lengths around whole vectors.
  @Test(arguments: 1...40)
  func pixelsOfThreeBytes(count: Int) {
    var random = RandomPictures(seed: UInt64(count))
    let three = (0..<count * 3).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let rgb = CImagesOrder(red: 0, green: 1, blue: 2, alpha: UInt8(CIMAGES_NO_ALPHA))
    var four = [UInt8](repeating: 7, count: count * 4)
    cimages_expand(three, rgb, &four, Self.bgra, count)
    let pixels = stride(from: 0, to: count * 3, by: 3)
    #expect(four == pixels.flatMap { place -> [UInt8] in [three[place + 2], three[place + 1], three[place], 255] })
    var back = [UInt8](repeating: 7, count: count * 3)
    cimages_pack(four, Self.bgra, &back, rgb, count)
    #expect(back == three)
    var opaque = [UInt8](repeating: 7, count: count * 4)
    let unused = (0..<count * 4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    cimages_reorder(unused, rgb, &opaque, Self.bgra, count)
    let places = stride(from: 0, to: count * 4, by: 4)
    #expect(
      opaque == places.flatMap { place -> [UInt8] in [unused[place + 2], unused[place + 1], unused[place], 255] })
  }

  /// With AVX-512, with AVX2 and with neither. `ReferenceTests` compare the machine's own path with plain Swift.
  @Test func everyMachineResizesAlike() throws {
    var random = RandomPictures(seed: 5)
    for _ in 0..<60 {
      let image = try random.picture(random.size() * 3, random.size(), kCVPixelFormatType_32BGRA)
      let (width, height) = (random.size(), random.size())
      let columns = CImagesAxis(
        start: 0, length: Double(image.width), size: Int32(image.width), count: Int32(width))
      let rows = CImagesAxis(
        start: 0, length: Double(image.height), size: Int32(image.height), count: Int32(height))
      let results = try [CIMAGES_WIDEST, CIMAGES_AVX2, CIMAGES_PORTABLE].map { vectors in
        let result = try PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
        image.withUnsafeBytes { source in
          result.withUnsafeMutableBytes { target in
            guard let from = source.baseAddress, let to = target.baseAddress else { return }
            _ = cimages_resize(
              CImagesSource(bytes: from, row_bytes: image.bytesPerRow),
              CImagesTarget(bytes: to, row_bytes: result.bytesPerRow), CIMAGES_COLOUR8, columns, rows, vectors)
          }
        }
        return result
      }
      for other in results.dropFirst() {
        expectSame(results[0], other, "\(image.width) x \(image.height) to \(width) x \(height)")
      }
    }
  }

  /// Impossible sizes and positions are refused before any read.
  @Test(arguments: [
    CImagesAxis(start: .nan, length: 4, size: 4, count: 2), CImagesAxis(start: 0, length: .infinity, size: 4, count: 2),
    CImagesAxis(start: 0, length: 4, size: 0, count: 2), CImagesAxis(start: 0, length: 4, size: 4, count: 0),
    CImagesAxis(start: 0, length: 4, size: .max, count: 2), CImagesAxis(start: 0, length: -4, size: 4, count: 2),
  ])
  func axesThatAreNone(axis: CImagesAxis) {
    let source = [UInt8](repeating: 9, count: 16)
    var target = [UInt8](repeating: 1, count: 16)
    let good = CImagesAxis(start: 0, length: 4, size: 4, count: 2)
    let isResized = source.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return true }
        let (rows, place) = (CImagesSource(bytes: from, row_bytes: 4), CImagesTarget(bytes: to, row_bytes: 2))
        return cimages_resize(rows, place, CIMAGES_GRAY8, axis, good, CIMAGES_WIDEST)
          || cimages_resize(rows, place, CIMAGES_GRAY8, good, axis, CIMAGES_WIDEST)
      }
    }
    #expect(!isResized && target.allSatisfy { $0 == 1 })
  }
}
