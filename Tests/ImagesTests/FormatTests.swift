import CoreMLImages
import Foundation
import Testing

/// Images of every format, compared with their pixels according to Pillow and numpy (`tools/make-format-cases.py`).
@Suite struct FormatTests {
  struct Picture: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let width: Int
    let height: Int
    let tolerance: Int
    let rgba: [Int]
    var testDescription: String { file }
  }

  struct Refused: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let code: String
    let word: String
    var testDescription: String { file }
  }

  struct Cases: Decodable {
    let pictures: [Picture]
    let refused: [Refused]
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Cases/pictures/formats")

  static let cases = (try? Data(contentsOf: folder.appending(path: "formats.json"))).flatMap {
    try? JSONDecoder().decode(Cases.self, from: $0)
  }

  static func bytes(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: file))) }

  static func decode(_ bytes: [UInt8]) throws -> PixelBuffer {
    try bytes.withUnsafeBytes { try ImageDecoder.decode($0) }
  }

  @Test func thereAreCasesOfEveryFormat() throws {
    let cases = try #require(Self.cases)
    let kinds = Set(cases.pictures.map { URL(filePath: $0.file).pathExtension })
    #expect(kinds == ["webp", "tiff", "gif", "bmp", "png"] && cases.pictures.count > 70 && cases.refused.count > 10)
  }

  @Test(arguments: cases?.pictures ?? [])
  func isWhatOthersSee(_ picture: Picture) throws {
    let bytes = try Self.bytes(picture.file)
    let image = try Self.decode(bytes)
    #expect(
      (image.width, image.height, image.pixelFormatType) == (picture.width, picture.height, kCVPixelFormatType_32BGRA))
    let pixels = image.packedBytes
    try #require(pixels.count == picture.rgba.count)
    var farthest = (distance: 0, channel: 0)
    for index in pixels.indices {
      // The decoder's order is blue, green, red, alpha, and Pillow's is red, green, blue, alpha.
      let order = index % 4 == 3 ? index : index - index % 4 + 2 - index % 4
      let distance = abs(Int(pixels[index]) - picture.rgba[order])
      if distance > farthest.distance { farthest = (distance, order) }
    }
    #expect(farthest.distance <= picture.tolerance, "by \(farthest.distance) in channel \(farthest.channel)")
    // The header tells whether an image has a hidden alpha channel.
    let header = try bytes.withUnsafeBytes { try ImageDecoder.header($0) }
    let turned = (header.orientation ?? .up).rawValue >= 5
    #expect(
      (turned ? header.height : header.width) == image.width && (turned ? header.width : header.height) == image.height)
    if picture.rgba.enumerated().contains(where: { $0 % 4 == 3 && $1 < 255 }) { #expect(header.hasAlpha) }
    #expect(header.format.extensions.contains(URL(filePath: picture.file).pathExtension))
  }

  @Test(arguments: cases?.refused ?? [])
  func isRefusedByName(_ refused: Refused) throws {
    let bytes = try Self.bytes(refused.file)
    let error = #expect(throws: ImageError.self) { try Self.decode(bytes) }
    #expect(error?.code.rawValue == refused.code)
    #expect(error?.message.contains(refused.word) == true, "\(error?.message ?? "")")
  }

  /// Every truncation, every flipped bit and noise give an image or an error. Decoding takes bounded time, stays in
  /// bounds, and prints nothing.
  @Test(arguments: ["webp", "tiff", "gif", "bmp"])
  func damageIsAnErrorOrAPicture(kind: String) throws {
    var generator = Noise(state: 17)
    for picture in try #require(Self.cases).pictures
    where picture.file.hasSuffix(".\(kind)") && picture.rgba.count < 2000 {
      let bytes = try Self.bytes(picture.file)
      var whole = 0
      func attempt(_ bytes: [UInt8]) {
        do {
          let image = try Self.decode(bytes)
          #expect(image.width > 0 && image.height > 0)
          whole += 1
        } catch let error as ImageError {
          #expect(!error.message.isEmpty && !error.message.contains("\n"))
        } catch {
          Issue.record("\(picture.file): an error of another kind: \(error)")
        }
      }
      for end in 0..<bytes.count { attempt(Array(bytes[..<end])) }
      // Data after the pixels of the first frame, and tags at the end of a file, are not needed.
      let isAnimation = ["animated.gif", "pages.tiff"].contains(picture.file)
      #expect(
        whole <= bytes.count / 2 || isAnimation, "\(picture.file): \(whole) of \(bytes.count) parts pass for the whole")
      for place in bytes.indices {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(place % 8)
        attempt(damaged)
      }
      for _ in 0..<200 {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let place = Int.random(in: 0..<bytes.count, using: &generator)
          damaged[place] =
            [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)][
              Int.random(in: 0..<6, using: &generator)]
        }
        attempt(damaged)
      }
    }
  }

  private struct Noise: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ state >> 29) &* 0xbf58_476d_1ce4_e5b9
    }
  }
}
