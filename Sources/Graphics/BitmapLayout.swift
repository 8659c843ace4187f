import CoreMLImages
import Foundation

/// The channel order of a bitmap that equals a supported pixel format.
struct BitmapLayout {
  let bytesPerPixel: Int
  let pixelFormatType: UInt32
  /// The index of an unused byte, which becomes opaque alpha; nil if there is none.
  let skipped: Int?

  init?(_ space: CGColorSpace, _ info: CGBitmapInfo) {
    let alpha = CGImageAlphaInfo(rawValue: info.intersection(.alphaInfoMask).rawValue)
    let order = info.intersection(.byteOrderMask)
    guard !info.contains(.floatComponents), let alpha else { return nil }
    if space.numberOfComponents == 1 {
      guard alpha == .none, order == .byteOrderDefault else { return nil }
      (bytesPerPixel, pixelFormatType, skipped) = (1, kCVPixelFormatType_OneComponent8, nil)
      return
    }
    bytesPerPixel = 4
    switch (alpha, order) {
    case (.first, .byteOrder32Little), (.noneSkipFirst, .byteOrder32Little):
      (pixelFormatType, skipped) = (kCVPixelFormatType_32BGRA, alpha == .first ? nil : 3)
    case (.first, .byteOrderDefault), (.noneSkipFirst, .byteOrderDefault), (.first, .byteOrder32Big),
      (.noneSkipFirst, .byteOrder32Big):
      (pixelFormatType, skipped) = (kCVPixelFormatType_32ARGB, alpha == .first ? nil : 0)
    case (.last, .byteOrderDefault), (.noneSkipLast, .byteOrderDefault), (.last, .byteOrder32Big),
      (.noneSkipLast, .byteOrder32Big):
      (pixelFormatType, skipped) = (kCVPixelFormatType_32RGBA, alpha == .last ? nil : 3)
    default: return nil
    }
  }

  /// Copies rows in memory to an image.
  func picture(_ data: Data, width: Int, height: Int, bytesPerRow: Int) throws -> PixelBuffer {
    let picture = try PixelBuffer(width: width, height: height, pixelFormatType: pixelFormatType)
    let (before, overflows) = bytesPerRow.multipliedReportingOverflow(by: height - 1)
    guard bytesPerRow >= picture.bytesPerRow, !overflows, before <= data.count - picture.bytesPerRow else {
      throw ImageError(.invalid, "\(data.count) bytes are no \(height) rows of \(bytesPerRow)")
    }
    data.withUnsafeBytes { source in
      picture.withUnsafeMutableBytes { target in
        for row in 0..<height {
          let line = UnsafeRawBufferPointer(rebasing: source[(row * bytesPerRow)...].prefix(picture.bytesPerRow))
          UnsafeMutableRawBufferPointer(rebasing: target[(row * picture.bytesPerRow)...]).copyMemory(from: line)
        }
        guard let skipped else { return }
        for pixel in 0..<(width * height) { target[pixel * 4 + skipped] = 255 }
      }
    }
    return picture
  }
}
