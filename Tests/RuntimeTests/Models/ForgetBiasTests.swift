import CoreMLRuntime
import Foundation
import Testing

/// `forgetBias` of a network's LSTM (docs/internals/decisions.md).
@Suite struct ForgetBiasTests {
  /// coremltools' `add_unilstm(forget_bias=True)` with one unit.
  private static let model =
    "CAESIAoOCgF4GgkqBwoBARDAgARSDgoBeRoJKgcKAQEQwIAEoh+cAQqZAQoBbBIBeBoBeaIajAEIARABUgPCAgBSA/IBAFID8gEAegygAQHwAQHlAwBQQ0eiAWgK"
    + "BgoEAAAAPxIGCgQAAIC+GgYKBAAAgD8iBgoEAABAP6IBBgoEmpmZPqoBBgoEmpkZP7IBBgoEzcxMProBBgoEzczMvsICBgoEzczMPcoCBgoEzcxMPtICBgoEzcxM"
    + "PdoCBgoEzczMvQ=="

  /// Values of Keras' LSTM, whose converter sets the flag and writes complete biases.
  @Test func theForgetGateGetsNothingMore() throws {
    let bytes = try #require(Data(base64Encoded: Self.model))
    let flag: [UInt8] = [0xF0, 0x01, 0x01]
    let place = try #require(bytes.firstRange(of: flag))
    var without = bytes
    without[place.upperBound - 1] = 0
    for specification in [bytes, without] {
      let asset = try MLModelAsset(specification: specification)
      let loaded = try MLModel(asset: asset, configuration: MLModelConfiguration())
      let x = try MLMultiArray(shape: [2, 1, 1], dataType: .double)
      (x[0], x[1]) = (1, 2)
      let input = try MLDictionaryFeatureProvider(dictionary: ["x": x])
      let y = try loaded.prediction(from: input).featureValue(for: "y")?.multiArrayValue?[0].doubleValue
      #expect(abs(try #require(y) - 0.5898094811099797) < 1e-6)
    }
  }
}
