import CoreMLImages
import Foundation
import MIL
import Testing

@testable import CoreMLRuntime

@Suite struct MLFeatureValueImageTests {
  /// 2 x 1 pixels, gray 10 and 200.
  static func gray() throws -> CGImage { CGImage(try pixels()) }

  private static func pixels() throws -> PixelBuffer {
    let image = try PixelBuffer(width: 2, height: 1, pixelFormatType: kCVPixelFormatType_OneComponent8)
    image.withUnsafeMutableBytes { $0.copyBytes(from: [10, 200]) }
    return image
  }

  static func bytes(_ value: MLFeatureValue) -> [UInt8] {
    value.imageBufferValue?.withUnsafeBytes { Array($0) } ?? []
  }

  static let colour = MLImageConstraint(pixelsHigh: 1, pixelsWide: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
  static let standing = MLImageConstraint(
    pixelsHigh: 2, pixelsWide: 1, pixelFormatType: kCVPixelFormatType_OneComponent8)

  @Test func aPictureIsConverted() throws {
    let value = try MLFeatureValue(cgImage: Self.gray(), constraint: Self.colour)
    #expect(Self.bytes(value) == [10, 10, 10, 255, 200, 200, 200, 255])
    let argb = try MLFeatureValue(
      cgImage: Self.gray(), pixelsWide: 2, pixelsHigh: 1, pixelFormatType: kCVPixelFormatType_32ARGB)
    #expect(Self.bytes(argb) == [255, 10, 10, 10, 255, 200, 200, 200])
  }

  @Test func aPictureIsTurnedUpright() throws {
    let down = try MLFeatureValue(cgImage: Self.gray(), orientation: .right, constraint: Self.standing)
    #expect(Self.bytes(down) == [10, 200])
    let up = try MLFeatureValue(cgImage: Self.gray(), orientation: .left, constraint: Self.standing)
    #expect(Self.bytes(up) == [200, 10])
  }

  @Test func anOptionTurnsWhatHasTheSizeAlready() throws {
    let image = try PixelBuffer(width: 2, height: 2, pixelFormatType: kCVPixelFormatType_OneComponent8)
    image.withUnsafeMutableBytes { $0.copyBytes(from: [1, 2, 3, 4]) }
    let turned = try MLFeatureValue(
      cgImage: CGImage(image), pixelsWide: 2, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent8,
      options: [.cropAndScale: ImageCropAndScale.scaleFillRotate90CCW.rawValue])
    #expect(Self.bytes(turned) == [2, 4, 1, 3])
  }

  @Test func aPictureIsCropped() throws {
    let value = try MLFeatureValue(
      cgImage: Self.gray(), pixelsWide: 1, pixelsHigh: 1, pixelFormatType: kCVPixelFormatType_OneComponent8,
      options: [.cropRect: CGRect(x: 0.5, y: 0, width: 0.5, height: 1)])
    #expect(Self.bytes(value) == [200])
  }

  @Test func filesAreTurnedAsAsked() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: url) }
    let colour = try #require(MLFeatureValue(cgImage: Self.gray(), constraint: Self.colour).imageBufferValue)
    try Data(ImageEncoder.png(colour)).write(to: url)
    #expect(Self.bytes(try MLFeatureValue(imageAt: url, orientation: .left, constraint: Self.standing)) == [200, 10])
    #expect(Self.bytes(try MLFeatureValue(imageAt: url, orientation: .right, constraint: Self.standing)) == [10, 200])
  }

  @Test func whatCannotBeDoneIsSaid() throws {
    let half = try PixelBuffer(width: 2, height: 1, pixelFormatType: kCVPixelFormatType_OneComponent16Half)
    #expect(throws: MLModelError.self) { try MLFeatureValue(cgImage: CGImage(half), constraint: Self.colour) }
    for (option, value) in [
      (MLFeatureValue.ImageOption.cropRect, "all" as Any), (.cropRect, CGRect(x: 0.6, y: 0, width: 0.6, height: 1)),
      (.cropAndScale, 77), (.cropAndScale, "fit"), (.cropRect, CGRect(x: Double.nan, y: 0, width: 1, height: 1)),
    ] {
      #expect(throws: MLModelError.self) {
        try MLFeatureValue(cgImage: Self.gray(), constraint: Self.colour, options: [option: value])
      }
    }
    for size in [0, -1, Int.max] {
      #expect(throws: MLModelError.self) {
        try MLFeatureValue(
          cgImage: Self.gray(), pixelsWide: size, pixelsHigh: 1, pixelFormatType: kCVPixelFormatType_32BGRA)
      }
    }
  }

  @Test func grayIsNoColour() throws {
    let feature = MLFeatureDescription(name: "i", type: .image, isOptional: false, imageConstraint: Self.colour)
    #expect(!feature.isAllowedValue(MLFeatureValue(pixelBuffer: try Self.pixels())))
    #expect(feature.isAllowedValue(try MLFeatureValue(cgImage: Self.gray(), constraint: Self.colour)))
  }
}

@Suite struct MLStateTests {
  @Test func whatIsWrittenIsTheStateAfterwards() throws {
    let state = MLState(["cache": TensorType(.float16, [2, 2])])
    #expect(state.stateNames == ["cache"])
    let first = state.withMultiArray(for: "cache") { array in
      array[3] = 1.5
      return array[0].doubleValue
    }
    #expect(first == 0 && state.withMultiArray(for: "cache") { $0[3].doubleValue } == 1.5)
    #expect(throws: CancellationError.self) {
      try state.withMultiArray(for: "cache") { array in
        array[0] = 2
        throw CancellationError()
      }
    }
    #expect(state.withMultiArray(for: "cache") { $0[0].doubleValue } == 2, "what was written before the error stays")
  }

  @Test func aStateThatIsNotThereStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      MLState(["cache": TensorType(.float16, [2, 2])]).withMultiArray(for: "none") { _ in }
    }
  }
}
