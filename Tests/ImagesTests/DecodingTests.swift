import CoreMLImages
import Foundation
import Testing

@Suite struct DecodingTests {
  /// The colors of the quadrants: top left, top right, bottom left, bottom right.
  private static let colours = [[200, 30, 40], [20, 180, 60], [30, 50, 210], [220, 210, 30]]

  private func expectQuadrants(_ image: PixelBuffer, _ order: [Int], within tolerance: Int) {
    let (right, bottom) = (image.width - 2, image.height - 2)
    for ((x, y), colour) in zip([(1, 1), (right, 1), (1, bottom), (right, bottom)], order) {
      let found = Pictures.pixel(image, x, y)
      for (a, b) in zip(found, Self.colours[colour]) { #expect(abs(a - b) <= tolerance, "(\(x), \(y)): \(found)") }
    }
  }

  @Test(arguments: [Pictures.jpeg, Pictures.jpegProgressive])
  func jpeg(picture: String) throws {
    let image = try Pictures.decode(picture)
    #expect((image.width, image.height, image.pixelFormatType) == (16, 8, kCVPixelFormatType_32BGRA))
    expectQuadrants(image, [0, 1, 2, 3], within: 6)
  }

  @Test func jpegWithInksBecomesColours() throws {
    expectQuadrants(try Pictures.decode(Pictures.jpegCMYK), [0, 1, 2, 3], within: 10)
  }

  @Test func grayJPEGHasThreeEqualChannels() throws {
    let pixel = Pictures.pixel(try Pictures.decode(Pictures.jpegGray), 1, 1)
    // Pillow's luma of the color.
    #expect(pixel.allSatisfy { abs($0 - 82) <= 3 })
  }

  /// EXIF orientation 6: the stored image has to be rotated clockwise to be upright.
  @Test func aTurnedPictureIsSeenUpright() throws {
    let image = try Pictures.decode(Pictures.jpegTurned)
    #expect((image.width, image.height) == (8, 16))
    expectQuadrants(image, [2, 0, 3, 1], within: 6)
  }

  @Test func aPaletteIsLookedUp() throws {
    expectQuadrants(try Pictures.decode(Pictures.pngPalette), [0, 1, 2, 3], within: 1)
  }

  @Test func alphaLeavesColoursAlone() throws {
    let image = try Pictures.decode(Pictures.pngAlpha)
    let rows = [[10, 20, 30], [40, 50, 60]]
    for y in 0..<2 {
      for x in 0..<3 { #expect(Pictures.pixel(image, x, y) == [rows[y][x], rows[y][x] + 100, 255 - rows[y][x]]) }
    }
  }

  @Test func whatIsWrittenReadsBack() throws {
    let image = try Pictures.decode(Pictures.jpeg)
    let again = try ImageEncoder.png(image).withUnsafeBytes { try ImageDecoder.decode($0) }
    for y in 0..<8 { for x in 0..<16 { #expect(Pictures.pixel(image, x, y) == Pictures.pixel(again, x, y)) } }
    let gray = try image.converted(to: kCVPixelFormatType_OneComponent8)
    let read = try ImageEncoder.png(gray).withUnsafeBytes { try ImageDecoder.decode($0) }
    gray.withUnsafeBytes { bytes in
      for index in bytes.indices {
        #expect(Pictures.pixel(read, index % 16, index / 16) == Array(repeating: Int(bytes[index]), count: 3))
      }
    }
  }

  /// Every truncation and every flipped bit gives an image or an error, in bounded time and without reading out of
  /// bounds.
  @Test(arguments: [
    Pictures.jpeg, Pictures.jpegCMYK, Pictures.jpegProgressive, Pictures.jpegTurned, Pictures.pngPalette,
    Pictures.pngAlpha,
  ])
  func damageIsAnErrorOrAPicture(picture: String) throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: picture)))
    var refused = 0
    func attempt(_ bytes: [UInt8]) {
      do {
        let image = try bytes.withUnsafeBytes { try ImageDecoder.decode($0) }
        #expect(image.width > 0 && image.height > 0)
      } catch {
        refused += 1
        let message = (error as? ImageError)?.message ?? "\n"
        #expect(!message.isEmpty && !message.contains("\n"))
      }
    }
    for end in 0..<bytes.count { attempt(Array(bytes[..<end])) }
    #expect(refused >= bytes.count - 12, "a picture that is cut short passes for one that is whole")
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8(place % 8)
      attempt(damaged)
    }
  }

  @Test func aSizeThatIsOnlyClaimedCostsNothing() throws {
    // The header of a PNG of 2^31 - 1 by 2^31 - 1 pixels, with a right or wrong checksum, is refused before any
    // allocation.
    var bytes = [UInt8](try #require(Data(base64Encoded: Pictures.pngAlpha)))
    for place in 16..<24 { bytes[place] = place % 4 == 0 ? 0x7F : 0xFF }
    #expect(throws: ImageError.self) { try bytes.withUnsafeBytes { try ImageDecoder.decode($0) } }
    #expect(throws: ImageError.self) {
      try PixelBuffer(width: 1 << 20, height: 1 << 20, pixelFormatType: kCVPixelFormatType_32BGRA)
    }
  }

  @Test(arguments: ["", "G", "RIFF....WAVE", "....ftypheic", "%PDF-1.7"])
  func otherFormatsAreRefused(text: String) {
    let error = #expect(throws: ImageError.self) {
      try Array(text.utf8).withUnsafeBytes { try ImageDecoder.decode($0) }
    }
    #expect(error?.code == .unsupported)
  }
}
