import CoreGraphics
import CoreVideo
import Foundation
import Testing

/// Drawing into bitmaps, compared byte by byte.
@Suite struct ContextTests {
  private static let straight: UInt32 = CGImageAlphaInfo.last.rawValue

  /// Red, green, blue and white pixels. The white one has an alpha of one half.
  private func picture() throws -> CGImage {
    let bytes: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128]
    let provider = try #require(CGDataProvider(data: Data(bytes) as CFData))
    return try #require(
      CGImage(
        width: 2, height: 2, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 8,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGBitmapInfo(rawValue: Self.straight), provider: provider, decode: nil, shouldInterpolate: false,
        intent: .defaultIntent))
  }

  private func context(_ width: Int, _ height: Int, _ alpha: CGImageAlphaInfo = .premultipliedLast) throws -> CGContext
  {
    try #require(
      CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: alpha.rawValue))
  }

  private func bytes(_ context: CGContext) throws -> [UInt8] {
    let data = try #require(context.data)
    return Array(UnsafeRawBufferPointer(start: data, count: context.bytesPerRow * context.height))
  }

  @Test func pixelsAreCopiedAsTheyAre() throws {
    let context = try context(2, 2)
    context.draw(try picture(), in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(try bytes(context) == [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 128, 128, 128, 128])
    let made = try #require(context.makeImage())
    let back = try #require(made.dataProvider?.data as Data?)
    #expect(Array(back) == [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128])
    #expect(made.alphaInfo == .last && made.colorSpace?.model == .rgb && context.bitsPerPixel == 32)
    // A context with the pixel format of the image.
    let same = try self.context(2, 2, .last)
    same.draw(try picture(), in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(try bytes(same) == Array(back))
  }

  @Test func mapsTurnAndMirror() throws {
    let context = try context(2, 2, .noneSkipFirst)
    context.saveGState()
    context.translateBy(x: 0, y: 2)
    context.scaleBy(x: 1, y: -1)
    context.draw(try picture(), in: CGRect(x: 0, y: 0, width: 2, height: 2))
    // The white pixel is blended over black. The skipped alpha byte is opaque.
    #expect(try bytes(context) == [255, 0, 0, 255, 255, 128, 128, 128, 255, 255, 0, 0, 255, 0, 255, 0])
    context.restoreGState()
    #expect(context.ctm.isIdentity)
    context.translateBy(x: 2, y: 0)
    context.rotate(by: .pi / 2)
    context.setBlendMode(.copy)
    context.draw(try picture(), in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(try bytes(context) == [255, 0, 255, 0, 255, 128, 128, 128, 255, 255, 0, 0, 255, 0, 0, 255])
  }

  @Test func partsAreDrawnAndSizesChange() throws {
    let whole = try context(4, 4, .noneSkipLast)
    whole.interpolationQuality = .none
    whole.draw(try picture(), in: CGRect(x: 0, y: 0, width: 4, height: 4))
    let rows = try bytes(whole)
    #expect(Array(rows[0..<16]) == [255, 0, 0, 255, 255, 0, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255])
    // Only the upper right pixel is within the image, in its lower left corner.
    let part = try context(2, 2, .noneSkipLast)
    part.draw(try picture(), in: CGRect(x: 1, y: 1, width: 2, height: 2))
    #expect(try bytes(part) == [0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0])
    let small = try context(1, 1)
    small.draw(try picture(), in: CGRect(x: 0, y: 0, width: 1, height: 1))
    // The mean of four pixels, one of them with an alpha of one half.
    #expect(try bytes(small) == [96, 96, 96, 223])
  }

  @Test func rectanglesAreFilled() throws {
    let context = try context(2, 2)
    context.setFillColor(gray: 1, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
    context.setFillColor(CGColor(red: 0, green: 0, blue: 1, alpha: 0.5))
    context.fill(CGRect(x: 0, y: 1, width: 1, height: 1))
    context.clear(CGRect(x: 1, y: 0, width: 1, height: 1))
    #expect(try bytes(context) == [128, 128, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0])
  }

  @Test(arguments: [CGFloat.nan, .infinity, -.infinity])
  func whatIsNoNumberEndsNothing(number: CGFloat) throws {
    let context = try context(2, 2)
    context.setFillColor(CGColor(red: number, green: 0, blue: 0, alpha: 1))
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
    let red: UInt8 = number > 0 ? 255 : 0
    let filled: [UInt8] = [red, 0, 0, 255, red, 0, 0, 255, red, 0, 0, 255, red, 0, 0, 255]
    #expect(try bytes(context) == filled)
    context.scaleBy(x: number, y: 1)
    context.draw(try picture(), in: CGRect(x: 0, y: 0, width: 2, height: 2))
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(try bytes(context) == filled)
  }

  @Test func memoryOfPixelBuffersIsDrawnTo() throws {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, 2, 2, kCVPixelFormatType_OneComponent8, nil, &made)
    let buffer = try #require(made)
    let gray = try #require(
      CGContext(
        data: CVPixelBufferGetBaseAddress(buffer), width: 2, height: 2, bitsPerComponent: 8,
        bytesPerRow: CVPixelBufferGetBytesPerRow(buffer), space: CGColorSpaceCreateDeviceGray(),
        bitmapInfo: CGImageAlphaInfo.none.rawValue))
    gray.draw(try picture(), in: CGRect(x: 0, y: 0, width: 2, height: 2))
    let pixels = try #require(CVPixelBufferGetBaseAddress(buffer)).assumingMemoryBound(to: UInt8.self)
    #expect((0..<4).map { pixels[$0] } == [76, 150, 29, 128])
  }

  @Test func valuesHangOnPixelBuffers() throws {
    let buffer = try PixelBuffer(width: 1, height: 1, pixelFormatType: kCVPixelFormatType_32BGRA)
    let other = try PixelBuffer(width: 1, height: 1, pixelFormatType: kCVPixelFormatType_32BGRA)
    let key = kCVImageBufferYCbCrMatrixKey
    #expect(CVBufferCopyAttachments(buffer, .shouldPropagate) == nil && !CVBufferHasAttachment(buffer, key))
    CVBufferSetAttachment(buffer, key, kCVImageBufferYCbCrMatrix_ITU_R_709_2, .shouldPropagate)
    CVBufferSetAttachment(buffer, "mine" as CFString, NSNumber(value: 3), .shouldNotPropagate)
    CVBufferPropagateAttachments(buffer, other)
    var mode = CVAttachmentMode.shouldNotPropagate
    #expect(CVBufferCopyAttachment(other, key, &mode) as? NSString == kCVImageBufferYCbCrMatrix_ITU_R_709_2)
    #expect(mode == .shouldPropagate && !CVBufferHasAttachment(other, "mine" as CFString))
    #expect(CVBufferCopyAttachments(buffer, .shouldNotPropagate) == ["mine": NSNumber(value: 3)] as NSDictionary)
    CVBufferRemoveAttachment(buffer, key)
    #expect(CVBufferCopyAttachment(buffer, key, nil) == nil && CVBufferHasAttachment(buffer, "mine" as CFString))
    CVBufferRemoveAllAttachments(buffer)
    #expect(!CVBufferHasAttachment(buffer, "mine" as CFString))
  }

  @Test func formsThatCannotBeDrawnToAreRefused() {
    func context(_ bits: Int, _ row: Int, _ info: UInt32, gray: Bool = false, width: Int = 2) -> CGContext? {
      let space = gray ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB()
      return CGContext(
        data: nil, width: width, height: 2, bitsPerComponent: bits, bytesPerRow: row, space: space, bitmapInfo: info)
    }
    #expect(context(16, 0, 1) == nil && context(8, 4, 1) == nil && context(8, 0, 0) == nil && context(8, 0, 7) == nil)
    #expect(context(8, 0, 1, width: 0) == nil && context(8, 0, 1, width: .max) == nil && context(8, .max, 1) == nil)
    #expect(context(8, 0, 1, gray: true) == nil && context(8, 0, 0, gray: true)?.bytesPerRow == 2)
    #expect(CGColorSpace(name: CGColorSpace.sRGB)?.numberOfComponents == 3 && CGColorSpace(name: "other") == nil)
  }

  @Test func rectanglesAreMapped() {
    let flip = CGAffineTransform(scaleX: 1, y: -1).translatedBy(x: 0, y: -1)
    let size = CGAffineTransform.identity.scaledBy(x: 100, y: 50)
    let box = CGRect(x: 0.25, y: 0, width: 0.5, height: 0.25)
    #expect(box.applying(flip).applying(size) == CGRect(x: 25, y: 37.5, width: 50, height: 12.5))
    #expect(box.applying(flip.concatenating(size)) == CGRect(x: 25, y: 37.5, width: 50, height: 12.5))
    let turned = CGPoint(x: 1, y: 0).applying(CGAffineTransform(rotationAngle: .pi / 2))
    #expect(abs(turned.x) < 1e-12 && abs(turned.y - 1) < 1e-12)
    let map = CGAffineTransform(a: 2, b: 1, c: 0, d: 4, tx: 3, ty: -1)
    #expect(CGPoint(x: 5, y: 7).applying(map).applying(map.inverted()) == CGPoint(x: 5, y: 7))
    #expect(CGSize(width: 2, height: 3).applying(map) == CGSize(width: 4, height: 14))
    #expect(CGAffineTransform().inverted() == CGAffineTransform() && !map.isIdentity)
  }
}
