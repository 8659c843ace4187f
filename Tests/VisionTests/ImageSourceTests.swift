import CoreMLImages
import Foundation
import ImageIO
import Testing

/// Image files through Image I/O, and images through Core Graphics.
@Suite struct ImageSourceTests {
  /// 2 x 1 pixels: red and green.
  private static func png() throws -> Data {
    Data(try ImageEncoder.png(PictureCases.picture([255, 0, 0, 0, 255, 0], 2, 1)))
  }

  /// 16 x 8 pixels, with an orientation that requires a clockwise rotation.
  private static let turned =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/4QAiRXhpZgAATU0AKgAAAAgAAQESAAMAAAABAAYAAAAAAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAg"
    + "UEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoK"
    + "CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAARCAAIABADAREAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAACAn/xAAcEAABAwUAAA"
    + "AAAAAAAAAAAAAAFxllZ6Sm4uT/xAAWAQEBAQAAAAAAAAAAAAAAAAAHCAn/xAAcEQABBAMBAAAAAAAAAAAAAAAAGGWk4xdk5KP/2gAMAwEAAhED"
    + "EQA/AA+pMLc6jsj17jdA9LCZJPOVMbzq9j/QZH5r0PWsiFLjvHuP/9k="

  private static func source(_ data: Data) throws -> CGImageSource {
    try #require(CGImageSourceCreateWithData(data as CFData, nil))
  }

  @Test func aPNGFileSaysWhatItIs() throws {
    let source = try Self.source(try Self.png())
    #expect(CGImageSourceGetCount(source) == 1 && CGImageSourceGetStatus(source) == .statusComplete)
    #expect(CGImageSourceGetType(source) == "public.png")
    let properties = try #require(CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any])
    #expect(properties[kCGImagePropertyPixelWidth as String] as? Int == 2)
    #expect(properties[kCGImagePropertyPixelHeight as String] as? Int == 1)
    #expect(properties[kCGImagePropertyColorModel as String] as? String == "RGB")
    #expect(properties[kCGImagePropertyOrientation as String] == nil)
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(image.width == 2 && image.height == 1 && image.bitsPerComponent == 8 && image.bitsPerPixel == 32)
    let pixels = try #require(image.dataProvider?.data.map { $0 as Data })
    #expect(Array(pixels) == [0, 0, 255, 255, 0, 255, 0, 255])
    #expect(image.alphaInfo == .first && image.bitmapInfo.contains(.byteOrder32Little))
    #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) == nil)
    #expect(CGImageSourceCopyPropertiesAtIndex(source, -1, nil) == nil)
  }

  /// The stored pixels are not rotated. A property gives the orientation.
  @Test func aTurnedPictureIsGivenAsItIsStored() throws {
    let source = try Self.source(try #require(Data(base64Encoded: Self.turned)))
    #expect(CGImageSourceGetType(source) == "public.jpeg")
    let properties = try #require(CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any])
    let raw = try #require(properties[kCGImagePropertyOrientation as String] as? UInt32)
    #expect(CGImagePropertyOrientation(rawValue: raw) == .right)
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect((image.width, image.height) == (16, 8))
    let options =
      [
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceThumbnailMaxPixelSize: 4,
      ] as CFDictionary
    let small = try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, options))
    #expect((small.width, small.height) == (2, 4))
    #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, nil) == nil, "the file has no thumbnail of its own")
  }

  /// An animation or a file with several pages gives its first image.
  @Test(arguments: [
    ("lossless.webp", "org.webmproject.webp"), ("animated.webp", "org.webmproject.webp"), ("pages.tiff", "public.tiff"),
    ("animated.gif", "com.compuserve.gif"), ("rgb.bmp", "com.microsoft.bmp"),
  ])
  func filesOfOtherFormatsSayWhatTheyAre(name: String, type: String) throws {
    let file = PictureCases.folder.appending(path: "Tests/Cases/pictures/formats/\(name)")
    let source = try #require(CGImageSourceCreateWithURL(file as CFURL, nil))
    #expect(CGImageSourceGetType(source) == type as CFString)
    #expect(CGImageSourceGetCount(source) == 1 && CGImageSourceGetStatus(source) == .statusComplete)
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect((image.width, image.height) == (7, 5))
    #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) == nil)
  }

  @Test(arguments: ["turned-6.tiff", "turned.webp", "turned.png"])
  func theOrientationOfEveryFormatIsTold(name: String) throws {
    let file = PictureCases.folder.appending(path: "Tests/Cases/pictures/formats/\(name)")
    let source = try #require(CGImageSourceCreateWithURL(file as CFURL, nil))
    let properties = try #require(CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any])
    #expect(properties[kCGImagePropertyOrientation as String] as? UInt32 == CGImagePropertyOrientation.right.rawValue)
    #expect(properties[kCGImagePropertyPixelWidth as String] as? Int == 7)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil)?.width == 7, "as it is stored")
  }

  @Test func whatIsNoPictureSaysSo() throws {
    let other = try Self.source(Data("....ftypheic".utf8))
    #expect(CGImageSourceGetCount(other) == 0 && CGImageSourceGetStatus(other) == .statusUnknownType)
    #expect(CGImageSourceGetType(other) == nil && CGImageSourceCreateImageAtIndex(other, 0, nil) == nil)
    let damaged = try Self.source(Data(try Self.png().prefix(20)))
    #expect(CGImageSourceGetStatus(damaged) == .statusInvalidData && CGImageSourceGetCount(damaged) == 0)
    // The header is complete, and the data after it is not.
    let cut = try Self.source(Data(try Self.png().dropLast(20)))
    #expect(CGImageSourceCreateImageAtIndex(cut, 0, nil) == nil)
    for url in [URL(filePath: "/nowhere.png"), URL(filePath: "/dev/zero"), URL(string: "https://example.com/a.png")] {
      let file = try #require(url) as CFURL
      #expect(CGImageSourceCreateWithURL(file, nil) == nil && CGDataProvider(url: file) == nil)
    }
  }

  @Test func providersGivePictures() throws {
    let provider = try #require(CGDataProvider(data: try Self.png() as CFData))
    let image = CGImage(pngDataProviderSource: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent)
    #expect(image?.width == 2)
    #expect(
      CGImage(jpegDataProviderSource: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent) == nil)
    let decode: [CGFloat] = [1, 0]
    #expect(
      CGImage(pngDataProviderSource: provider, decode: decode, shouldInterpolate: false, intent: .defaultIntent) == nil)
  }

  /// A provider owns its bytes, whatever their number, and they keep their address.
  @Test func aProvidersBytesStayWhereTheyAre() throws {
    let image = CGImage(try PictureCases.picture([1, 2, 3], 1, 1))
    let ofPixels = try #require(image.dataProvider)
    let given = NSMutableData(data: Data([3, 2, 1, 255]))
    let ofBytes = try #require(CGDataProvider(data: given))
    let pointers = [ofPixels, ofBytes].map { CFDataGetBytePtr($0.data) }
    given.resetBytes(in: NSRange(location: 0, length: 4))
    image.pixelBuffer.withUnsafeMutableBytes { $0[0] = 9 }
    for (provider, pointer) in zip([ofPixels, ofBytes], pointers) {
      #expect(CFDataGetBytePtr(provider.data) == pointer && CFDataGetLength(provider.data) == 4)
      let bytes = try #require(pointer)
      #expect(Array(UnsafeBufferPointer(start: bytes, count: 4)) == [3, 2, 1, 255])
    }
  }

  /// A rectangle is rounded outwards to whole pixels and clipped to the image.
  @Test func picturesAreCropped() throws {
    let image = CGImage(try PictureCases.read().source())
    let whole = image.cropping(to: CGRect(x: -5, y: -5, width: 100, height: 100))
    #expect(whole?.width == 10 && whole?.height == 7)
    let part = try #require(image.cropping(to: CGRect(x: 2.5, y: 1, width: 2, height: 3.2)))
    #expect((part.width, part.height) == (3, 4))
    #expect(
      part.pixelBuffer.packedBytes
        == (try image.pixelBuffer.cropped(left: 2, top: 1, width: 3, height: 4)).packedBytes)
    for rect in [
      CGRect(x: 10, y: 0, width: 5, height: 5), CGRect(x: 1, y: 1, width: 0, height: 0),
      CGRect(x: -9, y: 0, width: 9, height: 2), CGRect(x: CGFloat.nan, y: 0, width: 5, height: 5),
      CGRect(x: 0, y: 0, width: CGFloat.infinity, height: 5), CGRect.null,
    ] { #expect(image.cropping(to: rect) == nil, "\(rect)") }
    #expect(image.cropping(to: CGRect(x: 1, y: 1, width: 1e300, height: 1e300))?.width == 9)
  }

  @Test func bytesBecomeAPicture() throws {
    func image(
      _ bytes: [UInt8], width: Int, height: Int, rowBytes: Int, _ alpha: CGImageAlphaInfo, _ order: CGBitmapInfo = []
    ) throws -> CGImage? {
      CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: rowBytes,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: order.union(CGBitmapInfo(rawValue: alpha.rawValue)),
        provider: try #require(CGDataProvider(data: Data(bytes) as CFData)), decode: nil, shouldInterpolate: false,
        intent: .defaultIntent)
    }
    let rows: [UInt8] = [1, 2, 3, 4, 0, 0, 5, 6, 7, 8]
    let skipped = try #require(try image(rows, width: 1, height: 2, rowBytes: 6, .noneSkipLast))
    #expect(try PictureCases.rgb(skipped.pixelBuffer) == [1, 2, 3, 5, 6, 7])
    #expect(skipped.pixelBuffer.packedBytes == [1, 2, 3, 255, 5, 6, 7, 255])
    let little = try #require(try image(rows, width: 1, height: 2, rowBytes: 6, .first, .byteOrder32Little))
    #expect(little.pixelBuffer.pixelFormatType == kCVPixelFormatType_32BGRA)
    #expect(little.pixelBuffer.packedBytes == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(try image(rows, width: 1, height: 2, rowBytes: 7, .noneSkipLast) == nil, "there are no such bytes")
    #expect(try image(rows, width: 1, height: 3, rowBytes: 6, .noneSkipLast) == nil)
    #expect(try image(rows, width: 1, height: 2, rowBytes: -6, .noneSkipLast) == nil)
    #expect(try image(rows, width: 1, height: Int.max, rowBytes: Int.max, .noneSkipLast) == nil)
    #expect(try image(rows, width: 1, height: 2, rowBytes: 6, .premultipliedLast) == nil, "colours are multiplied")
  }

  @Test func whatIsWrittenReadsBack() throws {
    let image = CGImage(try PictureCases.read().source())
    let data = NSMutableData()
    let memory = try #require(CGImageDestinationCreateWithData(data, "public.png", 1, nil))
    #expect(!CGImageDestinationFinalize(memory), "there is no picture yet")
    CGImageDestinationAddImage(memory, image, nil)
    #expect(CGImageDestinationFinalize(memory))
    let length = data.length
    #expect(!CGImageDestinationFinalize(memory), "it is written")
    CGImageDestinationAddImage(memory, image, nil)
    #expect(!CGImageDestinationFinalize(memory) && data.length == length)
    let read = CGImageSourceCreateImageAtIndex(try Self.source(data as Data), 0, nil)
    #expect(read?.pixelBuffer.packedBytes == image.pixelBuffer.packedBytes)
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try #require(CGImageDestinationCreateWithURL(url as CFURL, "public.png", 1, nil))
    CGImageDestinationAddImage(file, image, nil)
    #expect(CGImageDestinationFinalize(file))
    #expect(try Data(contentsOf: url) == data as Data)
    #expect(CGImageDestinationCreateWithURL(url as CFURL, "public.heic", 1, nil) == nil)
  }

  @Test func jpegFilesAreWritten() throws {
    let image = CGImage(try PictureCases.picture([UInt8](repeating: 200, count: 16 * 8 * 3), 16, 8))
    func written(_ quality: Double) throws -> Data {
      let data = NSMutableData()
      let file = try #require(CGImageDestinationCreateWithData(data, "public.jpeg", 1, nil))
      CGImageDestinationAddImage(file, image, [kCGImageDestinationLossyCompressionQuality: quality] as CFDictionary)
      #expect(CGImageDestinationFinalize(file))
      return data as Data
    }
    let best = try written(1)
    let read = try #require(CGImageSourceCreateImageAtIndex(try Self.source(best), 0, nil))
    #expect(read.width == 16 && read.height == 8)
    #expect(read.pixelBuffer.packedBytes.enumerated().allSatisfy { $0 % 4 == 3 || abs(Int($1) - 200) <= 2 })
    #expect(try written(0).count <= best.count)
    #expect(try !written(-.infinity).isEmpty && !written(.nan).isEmpty)
  }
}
