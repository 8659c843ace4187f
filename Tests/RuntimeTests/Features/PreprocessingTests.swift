import CoreMLImages
import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLRuntime

/// Preprocessing of images before the first layer of a network (NeuralNetwork.proto, `NeuralNetworkPreprocessing`).
@Suite struct PreprocessingTests {
  static let (width, height) = (3, 2)

  /// A network that returns its image as its first layer sees it.
  static func specification(
    colorSpace: Int64, named name: String = "x", _ preprocessing: (inout WireWriter) -> Void
  ) -> [UInt8] {
    var model = WireWriter()
    model.append(1, int: 1)
    model.append(2) { description in
      description.append(1) { feature in
        feature.append(1, string: "x")
        feature.append(3) { type in
          type.append(4) { image in
            image.append(1, int: Int64(width))
            image.append(2, int: Int64(height))
            image.append(3, int: colorSpace)
          }
        }
      }
      description.append(10) { feature in
        feature.append(1, string: "y")
        feature.append(3) { $0.append(5) { $0.append(2, int: 0x10020) } }
      }
    }
    model.append(500) { network in
      network.append(1, bytes: Net.layer(130, ["x"], ["y"]) { $0.append(5) { $0.append(1, float: 1) } })
      network.append(2) { item in
        item.append(1, string: name)
        preprocessing(&item)
      }
    }
    return model.bytes
  }

  static func result(_ specification: [UInt8], _ image: PixelBuffer) throws -> [Double]? {
    try FeatureModels.predict(specification, ["x": MLFeatureValue(pixelBuffer: image)]).numbers("y")
  }

  static func gray() throws -> PixelBuffer {
    let image = try PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_OneComponent8)
    image.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = UInt8(index * 40) }
    }
    return image
  }

  @Test func aMeanImageIsTakenAway() throws {
    let mean: [Float] = [1, 2, 3, 4.5, 200, 0]
    let specification = Self.specification(colorSpace: 10) { $0.append(11) { $0.append(1, packed: mean) } }
    let expected = mean.enumerated().map { Double($0 * 40) - Double($1) }
    #expect(try Self.result(specification, Self.gray()) == expected)
  }

  /// If the mean image names no feature, it applies to the first image.
  @Test func aMeanImageMayLeaveItsFeatureUnnamed() throws {
    let mean = [Float](repeating: 10, count: 6)
    let specification = Self.specification(colorSpace: 10, named: "") { $0.append(11) { $0.append(1, packed: mean) } }
    #expect(try Self.result(specification, Self.gray()) == (0..<6).map { Double($0 * 40 - 10) })
  }

  /// The planes of a mean image for a BGR image have BGR order as well.
  @Test(arguments: [Int64(20), 30]) func aMeanImageHasThePicturesChannels(_ colorSpace: Int64) throws {
    let image = try PixelBuffer(
      width: Self.width, height: Self.height, pixelFormatType: kCVPixelFormatType_32BGRA)
    image.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(10 * (index % 4) + index / 4) }
    }
    let mean = (0..<18).map { Float($0) / 2 }
    let specification = Self.specification(colorSpace: colorSpace) { $0.append(11) { $0.append(1, packed: mean) } }
    let planes = colorSpace == 30 ? [0, 1, 2] : [2, 1, 0]
    let expected = planes.enumerated().flatMap { plane, channel in
      (0..<6).map { Double(10 * channel + $0) - Double(mean[plane * 6 + $0]) }
    }
    #expect(try Self.result(specification, image) == expected)
  }

  @Test func aMeanImageOfAnotherSizeIsRefused() {
    let specification = Self.specification(colorSpace: 10) { $0.append(11) { $0.append(1, packed: [Float(1), 2]) } }
    #expect(FeatureModels.refusal(specification)?.contains("mean image") == true)
  }

  @Test func aScalerScalesAndThenAdds() throws {
    let specification = Self.specification(colorSpace: 10) { item in
      item.append(10) { scaler in
        scaler.append(10, float: 0.5)
        scaler.append(30, float: -3)
      }
    }
    #expect(try Self.result(specification, Self.gray()) == (0..<6).map { Double($0 * 20 - 3) })
  }
}
