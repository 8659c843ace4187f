import CoreMLImages
import CoreVideo
import Foundation
import Testing

/// Images in other sizes and pixel formats, compared with the results of Pillow and numpy.
@Suite struct ConversionTests {
  private let cases: PictureCases

  init() throws { cases = try PictureCases.read() }

  /// Pillow rounds between the horizontal and the vertical pass, so values may differ by one.
  @Test func sizesAgreeWithPillow() throws {
    let source = try cases.source()
    #expect(cases.fits.count == 30)
    for fit in cases.fits {
      let option = try #require(ImageCropAndScale(rawValue: fit.option))
      let found = try source.fitted(
        width: fit.width, height: fit.height, pixelFormatType: kCVPixelFormatType_32BGRA, option)
      let distance = PictureCases.distance(try PictureCases.rgb(found), fit.rgb)
      #expect(distance <= 1, "\(option), \(fit.width) x \(fit.height): \(distance)")
    }
  }

  /// The same in every channel order. The border around an image is opaque.
  @Test(arguments: [kCVPixelFormatType_32RGBA, kCVPixelFormatType_32ARGB])
  func theOrderOfChannelsChangesNothing(format: OSType) throws {
    let source = try cases.source()
    let other = try source.converted(to: format).resized(width: 12, height: 3, .scaleFit)
    let same = try source.resized(width: 12, height: 3, .scaleFit)
    #expect(other.pixelFormatType == format && same.pixelFormatType == kCVPixelFormatType_32BGRA)
    #expect(try other.converted(to: kCVPixelFormatType_32BGRA).packedBytes == same.packedBytes)
    #expect(same.packedBytes[3] == 255)
  }

  /// One channel is scaled as three equal channels are, in every element type.
  @Test func grayIsScaledAsColoursAre() throws {
    let gray = try cases.source().converted(to: kCVPixelFormatType_OneComponent8)
    let colours = try PictureCases.rgb(gray.converted(to: kCVPixelFormatType_32BGRA).resized(width: 4, height: 4))
    let expected = stride(from: 0, to: colours.count, by: 3).map { colours[$0] }
    #expect(try gray.resized(width: 4, height: 4).packedBytes == expected)
    for format in [kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_OneComponent32Float] {
      let small = try gray.converted(to: format).resized(width: 4, height: 4)
      let wide = try small.converted(to: kCVPixelFormatType_OneComponent32Float)
      let values = wide.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
      // Values are not rounded to uint8. An fp16 value below 256 is accurate to an eighth.
      for (value, byte) in zip(values, expected) { #expect(abs(value - Float(byte)) <= 0.625) }
    }
  }

  @Test func videoAgreesWithTheStandards() throws {
    #expect(cases.video.count == 6)
    for video in cases.video {
      let format =
        video.full
        ? kCVPixelFormatType_420YpCbCr8BiPlanarFullRange : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
      let picture = try PictureCases.picture(video.rgb, video.width, video.height)
      let made = try picture.converted(to: format)
      let bytes = made.packedBytes
      let name = "\(video.width) x \(video.height), full range: \(video.full)"
      #expect(PictureCases.distance(Array(bytes.prefix(video.luma.count)), video.luma) <= 1, "\(name)")
      #expect(PictureCases.distance(Array(bytes.dropFirst(video.luma.count)), video.differences) <= 1, "\(name)")
      // Converts numpy's own bytes back, so that a difference of one is not amplified.
      let given = try PixelBuffer(width: video.width, height: video.height, pixelFormatType: format)
      given.withUnsafeMutableBytes { $0.copyBytes(from: video.luma + video.differences) }
      #expect(PictureCases.distance(try PictureCases.rgb(given), video.back) <= 1, "\(name)")
    }
  }

  /// Black, white and the primaries, with the values tabulated in BT.601 and JFIF.
  @Test(
    arguments: [
      (false, [0, 0, 0], [16, 128, 128]), (false, [255, 255, 255], [235, 128, 128]),
      (false, [255, 0, 0], [81, 90, 240]),
      (false, [0, 255, 0], [145, 54, 34]), (false, [0, 0, 255], [41, 240, 110]), (true, [0, 0, 0], [0, 128, 128]),
      (true, [255, 255, 255], [255, 128, 128]), (true, [255, 0, 0], [76, 85, 255]),
      (true, [0, 0, 255], [29, 255, 107]),
    ] as [(Bool, [UInt8], [UInt8])])
  func primariesAreThoseOfTheStandards(isFull: Bool, rgb: [UInt8], expected: [UInt8]) throws {
    let format =
      isFull ? kCVPixelFormatType_420YpCbCr8BiPlanarFullRange : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    #expect(try PictureCases.picture(rgb, 1, 1).converted(to: format).packedBytes == expected)
  }

  /// Round trips: another byte order gives the same bytes, and gray returns from video within one level.
  @Test func roundTrips() throws {
    let source = try cases.source()
    for format in [kCVPixelFormatType_32ARGB, kCVPixelFormatType_32RGBA] {
      #expect(
        try source.converted(to: format).converted(to: kCVPixelFormatType_32BGRA).packedBytes == source.packedBytes)
    }
    let gray = try source.converted(to: kCVPixelFormatType_OneComponent8)
    #expect(
      try gray.converted(to: kCVPixelFormatType_32RGBA).converted(to: kCVPixelFormatType_OneComponent8).packedBytes
        == gray.packedBytes)
    for format in [
      kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
    ] {
      let back = try gray.converted(to: format).converted(to: kCVPixelFormatType_OneComponent8)
      #expect(PictureCases.distance(back.packedBytes, gray.packedBytes) <= 1)
    }
    let half = try gray.converted(to: kCVPixelFormatType_OneComponent16Half)
    let float = try half.converted(to: kCVPixelFormatType_OneComponent32Float)
    #expect(float.withUnsafeBytes { $0.bindMemory(to: Float.self).map { UInt8($0) } } == gray.packedBytes)
    #expect(try float.converted(to: kCVPixelFormatType_OneComponent16Half).packedBytes == half.packedBytes)
  }

  @Test(arguments: [kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_OneComponent32Float])
  func floatingPointGrayHasNoWhite(format: OSType) throws {
    let depth = try PixelBuffer(width: 2, height: 2, pixelFormatType: format)
    for other in [
      kCVPixelFormatType_32BGRA, kCVPixelFormatType_OneComponent8, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
    ] {
      let error = #expect(throws: ImageError.self) { try depth.converted(to: other) }
      #expect(error?.code == .unsupported && error?.message.contains("'L00") == true)
    }
    #expect(throws: ImageError.self) { try ImageEncoder.png(depth) }
  }

  /// Rotating and cropping planar images, which are converted to RGB.
  @Test func picturesInPlanesAreTurnedAndCut() throws {
    let video = try cases.source().converted(to: kCVPixelFormatType_420YpCbCr8BiPlanarFullRange)
    let colours = try video.converted(to: kCVPixelFormatType_32BGRA)
    #expect(try video.oriented(.right).packedBytes == colours.oriented(.right).packedBytes)
    #expect(
      try video.cropped(left: 3, top: 1, width: 5, height: 4).packedBytes
        == colours.cropped(left: 3, top: 1, width: 5, height: 4).packedBytes)
    #expect(try video.resized(width: 4, height: 3).packedBytes == colours.resized(width: 4, height: 3).packedBytes)
  }
}
