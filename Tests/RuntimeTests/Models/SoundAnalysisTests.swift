import CoreMLSpec
import Foundation
import TestModels
import TestSupport
import Testing

@testable import CoreMLRuntime

/// The sound preprocessing, compared with spectrograms that numpy computed (tools/make-sound-cases.py).
@Suite struct SoundAnalysisTests {
  private typealias F = FeatureModels

  struct Recorded: Decodable, CustomTestStringConvertible {
    let signal: String
    let mean: Double
    /// Some of the 96 frames by index.
    let frames: [String: [Double]]

    var testDescription: String { signal }
  }

  static func recorded() throws -> [Recorded] {
    return try JSONDecoder().decode(
      [Recorded].self, from: Data(contentsOf: Checkout.cases.appending(path: "models/sound-analysis.json")))
  }

  /// Integer samples, as in the recorded ones.
  private func samples(_ signal: String) throws -> MLMultiArray {
    let array = try MLMultiArray(shape: [15600], dataType: .float32)
    var state: UInt32 = 1
    var phase = 0
    for index in 0..<15600 {
      state = state &* 1_664_525 &+ 1_013_904_223
      phase = (phase + 300 + index) % 65536
      switch signal {
      case "noise": array[index] = NSNumber(value: Double(state >> 16) / 32768 - 1)
      case "sweep": array[index] = NSNumber(value: (Double(phase) / 32768 - 1) / 2)
      case "click": array[index] = index == 7000 ? 1 : 0
      default: array[index] = 0
      }
    }
    return array
  }

  private var frontEnd: [UInt8] {
    F.model(2003, [.floats("samples", [15600])], [.floats("spectrogram", [1, 96, 64])]) { $0.append(20) { _ in } }
  }

  @Test(arguments: try recorded()) func theSpectrogramIsThatOfThePublishedFrontEnd(_ case: Recorded) throws {
    let result = try F.predict(frontEnd, ["samples": samples(`case`.signal)])
    #expect(result.featureValue(for: "spectrogram")?.multiArrayValue?.shape == [1, 96, 64])
    let found = try #require(result.numbers("spectrogram"))
    #expect(abs(found.reduce(0, +) / 6144 - `case`.mean) < 2e-6)
    for (frame, bands) in `case`.frames {
      let first = try #require(Int(frame)) * 64
      for (band, expected) in bands.enumerated() {
        #expect(
          abs(found[first + band] - expected) < 2e-5,
          "frame \(frame), band \(band): \(found[first + band]), \(expected)")
      }
    }
  }

  /// A classifier after the preprocessing: the mean of the spectrogram, then 1 x or 3 x + 2, then softmax.
  private var classifier: [UInt8] {
    F.model(
      403, [.floats("spectrogram", [1, 96, 64])], [.string("label"), .dictionary("probabilities")], label: "label",
      probabilities: "probabilities"
    ) { network in
      network.append(
        1,
        bytes: Net.layer(120, ["spectrogram"], ["mean"]) { pooling in
          pooling.append(1, int: 1)
          pooling.append(30) { _ in }
          pooling.append(60, bool: true)
        })
      network.append(
        1,
        bytes: Net.layer(140, ["mean"], ["scores"]) { product in
          product.append(1, uint: 1)
          product.append(2, uint: 2)
          product.append(10, bool: true)
          product.append(20) { $0.append(1, packed: [1, 3] as [Float]) }
          product.append(21) { $0.append(1, packed: [0, 2] as [Float]) }
        })
      network.append(1, bytes: Net.layer(175, ["scores"], ["classes"]))
      network.append(100, message: F.strings(["quiet", "loud"]))
    }
  }

  @Test(arguments: try recorded()) func aClassifierTakesItInAPipeline(_ case: Recorded) throws {
    let pipeline = F.pipeline(
      [.floats("samples", [15600])], [.string("label"), .dictionary("probabilities")], [frontEnd, classifier])
    let result = try F.predict(pipeline, ["samples": samples(`case`.signal)])
    let loud = 1 / (1 + exp(-(2 * `case`.mean + 2)))
    #expect(result.featureValue(for: "label")?.stringValue == (loud > 0.5 ? "loud" : "quiet"))
    let found = try #require(result.featureValue(for: "probabilities")?.dictionaryValue["loud"]).doubleValue
    #expect(abs(found - loud) < 1e-5, "\(found), expected \(loud)")
  }

  @Test func otherThanASecondOfSoundIsRefused() throws {
    let short = F.model(2003, [.floats("samples", [15599])], [.floats("y", [1, 96, 64])]) { $0.append(20) { _ in } }
    #expect(F.refusal(short)?.contains("expected 15600 samples") == true)
    let open = F.model(2003, [.floats("samples", [])], [.floats("y", [1, 96, 64])]) { $0.append(20) { _ in } }
    #expect(F.refusal(open) == nil)
    let few = try MLMultiArray(shape: [400], dataType: .float32)
    #expect(throws: MLModelError.self) { try F.predict(open, ["samples": few]) }
    #expect(
      F.refusal(F.model(2003, [.floats("x", [15600])], [.floats("y", [1, 96, 64])]))?.contains("no kind") == true)
  }
}
