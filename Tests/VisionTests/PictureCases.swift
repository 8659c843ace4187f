import CoreMLImages
import Foundation
import Testing

/// The results of Pillow and numpy for images (`tools/make-picture-cases.py`).
struct PictureCases: Decodable {
  struct Fit: Decodable {
    let option: UInt
    let width: Int
    let height: Int
    let rgb: [UInt8]
  }
  struct Video: Decodable {
    let full: Bool
    let width: Int
    let height: Int
    let rgb: [UInt8]
    let luma: [UInt8]
    let differences: [UInt8]
    let back: [UInt8]
  }

  let width: Int
  let height: Int
  let rgb: [UInt8]
  let fits: [Fit]
  let video: [Video]

  static func read() throws -> PictureCases {
    try JSONDecoder().decode(
      Self.self, from: Data(contentsOf: folder.appending(path: "Tests/Cases/pictures/pillow.json")))
  }

  /// The root of the checkout.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  func source() throws -> PixelBuffer { try Self.picture(rgb, width, height) }

  static func picture(_ rgb: [UInt8], _ width: Int, _ height: Int) throws -> PixelBuffer {
    let picture = try PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
    picture.withUnsafeMutableBytes { bytes in
      for pixel in 0..<(width * height) {
        for channel in 0..<3 { bytes[pixel * 4 + 2 - channel] = rgb[pixel * 3 + channel] }
        bytes[pixel * 4 + 3] = 255
      }
    }
    return picture
  }

  /// Red, green and blue of every pixel.
  static func rgb(_ picture: PixelBuffer) throws -> [UInt8] {
    let colours = try picture.converted(to: kCVPixelFormatType_32BGRA)
    var rgb: [UInt8] = []
    colours.withUnsafeBytes { bytes in
      for pixel in stride(from: 0, to: bytes.count, by: 4) {
        rgb += [bytes[pixel + 2], bytes[pixel + 1], bytes[pixel]]
      }
    }
    return rgb
  }

  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard a.count == b.count else { return .max }
    return zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }
}
