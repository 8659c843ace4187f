import CoreMLRuntime
import Foundation
import Testing

/// Numeric conventions that follow from the converters of coremltools and not from the format's comments alone.
@Suite struct ConverterNumbersTests {
  private func output(_ model: String, _ x: [Double], _ shape: [NSNumber]) throws -> any MLFeatureProvider {
    let asset = try MLModelAsset(specification: #require(Data(base64Encoded: model)))
    let model = try MLModel(asset: asset, configuration: MLModelConfiguration())
    let array = try MLMultiArray(shape: shape, dataType: .double)
    for (index, value) in x.enumerated() { array[index] = NSNumber(value: value) }
    return try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": array]))
  }

  /// The scales 0.5, 1 and 2 and the biases 0, -1 and 10 belong to the three output channels. They are the second axis
  /// of a deconvolution's weights.
  @Test func quantizedDeconvolutionsScaleTheirOutputs() throws {
    let model =
      "CAMSJAoQCgF4GgsqCQoDAgEBEMCABFIQCgF5GgsqCQoDAwEBEMCABKIfWQpXCgFkEgF4GgF5ogZLCAMQAlABogECAQHyAQIBAcICAgEBkgMA4AMB0gUt8gEG"
      + "AQIDBAUGwgIhCAiqBhwKDAAAAD8AAIA/AAAAQBIMAAAAAAAAgL8AACBB"
    let y = try output(model, [1, 10], [2, 1, 1]).featureValue(for: "y")?.multiArrayValue
    #expect(y.map { array in (0..<3).map { array[$0].doubleValue } } == [20.5, 41, 236])
  }

  /// With two classes, the probability is that of their pair: 1 / (1 + exp(A f + B)) with f = 1.75.
  @Test func twoClassesOfSupportVectorsAreNotCoupled() throws {
    let model =
      "CAESMgoOCgF4GgkqBwoBARDAgARSCwoFbGFiZWwaAgoAUgkKAXAaBDICCgBaBWxhYmVsYgFwihlbCgIKABICAQEiGAoKCggAAAAAAADwPwoKCggAAAAAAADw"
      + "vyoSChAAAAAAAADgPwAAAAAAAOC/MggAAAAAAADQPzoIAAAAAAAA+L9CCJqZmZmZmck/qgYECgIAAQ=="
    let shares = try output(model, [2], [1]).featureValue(for: "p")?.dictionaryValue
    let expected = 1 / (1 + exp(-1.5 * 1.75 + 0.2))
    #expect(abs(try #require(shares?[0]?.doubleValue) - expected) < 1e-12)
    #expect(abs(try #require(shares?[1]?.doubleValue) - (1 - expected)) < 1e-12)
  }
}
