import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLRuntime

/// Classical models and pipelines, from their protobuf messages to predictions.
@Suite struct FeatureModelTests {
  typealias F = FeatureModels

  @Test func aPipelineWiresFeaturesByName() throws {
    let pipeline = F.pipeline(
      [.double("size"), .string("color")], [.string("label"), .dictionary("p")],
      [
        F.oneHot,
        F.vectorizer([(.double("size"), 1), (.dictionary("color", integers: true), 3)], 4),
        F.classifier(.array("vector", [4]), [[0.5, 1, 2, 4]], ["no", "yes"]),
      ])
    let result = try F.predict(pipeline, ["size": 2.0, "color": "green"])
    let probability = 1 / (1 + exp(-3.0))
    #expect(result.featureValue(for: "label")?.stringValue == "yes")
    let found = try #require(result.featureValue(for: "p")?.dictionaryValue)
    #expect(abs((found["yes"]?.doubleValue ?? 0) - probability) < 1e-12)
    #expect(abs((found["no"]?.doubleValue ?? 0) - (1 - probability)) < 1e-12)
    #expect(throws: MLModelError.self) { try F.predict(pipeline, ["size": 2.0, "color": "mauve"]) }
  }

  @Test func aStageMayGiveAFeatureUnderItsInputsName() throws {
    let doubled = F.model(604, [.double("x")], [.double("x")]) { $0.append(2, packed: [2.0]) }
    let result = try F.predict(F.pipeline([.double("x")], [.double("x")], [doubled, doubled, doubled]), ["x": 3.0])
    #expect(result.featureValue(for: "x")?.doubleValue == 24)
  }

  @Test func dictionariesMayHaveUnknownKeys() throws {
    let model = F.model(603, [.dictionary("words")], [.array("counts", [3])]) {
      $0.append(1, message: F.strings(["a", "b", "c"]))
    }
    let words: [AnyHashable: NSNumber] = ["c": 4, "a": 1, "elsewhere": 9]
    let result = try F.predict(model, ["words": MLFeatureValue(dictionary: words)])
    #expect(result.numbers("counts") == [1, 0, 4])
  }

  @Test func aMissingDoubleIsImputed() throws {
    let model = F.model(601, [.double("x").optional], [.double("y")]) { $0.append(1, double: 7) }
    #expect(try F.predict(model, [:]).featureValue(for: "y")?.doubleValue == 7)
    #expect(try F.predict(model, ["x": 2.0]).featureValue(for: "y")?.doubleValue == 2)
  }

  @Test func integersKeepAllTheirDigits() throws {
    let large: Int64 = 1 << 60 + 1
    let model = F.model(606, [.int64("x")], [.string("y")]) { message in
      message.append(2) { map in
        map.append(1) { entry in
          entry.append(1, int: large)
          entry.append(2, string: "large")
        }
      }
      message.append(101, string: "other")
    }
    #expect(try F.predict(model, ["x": large]).featureValue(for: "y")?.stringValue == "large")
    #expect(try F.predict(model, ["x": large - 1]).featureValue(for: "y")?.stringValue == "other")
  }

  /// The items a and b, each similar to the other. Without `exclusion`, the recommender leaves out the given items.
  @Test func anAbsentFeatureIsNotAnEmptyOne() throws {
    let model = F.model(
      501, [.dictionary("items"), .strings("exclusion").optional, .int64("count").optional],
      [.strings("best"), .dictionary("scores")]
    ) { message in
      for (item, other) in [(UInt64(0), UInt64(1)), (1, 0)] {
        message.append(1) { row in
          row.append(1, uint: item)
          row.append(2) { connected in
            connected.append(1, uint: other)
            connected.append(2, double: 0.5)
          }
        }
      }
      message.append(2, message: F.strings(["a", "b"]))
      message.append(10, string: "items")
      message.append(11, string: "count")
      message.append(13, string: "exclusion")
      message.append(20, string: "best")
      message.append(21, string: "scores")
    }
    let items = try MLFeatureValue(dictionary: ["a": 3])
    func best(_ more: [String: Any]) throws -> [String]? {
      try F.predict(model, more.merging(["items": items]) { first, _ in first })
        .featureValue(for: "best")?.sequenceValue?.stringValues
    }
    #expect(try best([:]) == ["b"])
    let nothing = MLFeatureValue(sequence: MLSequence(strings: []))
    #expect(try best(["exclusion": nothing]) == ["b", "a"])
    #expect(try best(["exclusion": nothing, "count": Int64(1)]) == ["b"])
    let scores = try F.predict(model, ["items": items]).featureValue(for: "scores")?.dictionaryValue
    #expect(scores?["b"]?.doubleValue == 1.5)
  }

  /// Weights 0.5, -0.3 and 1.2 with precisions 2, 4 and 5, for feature 0 at 1, feature 0 at 2 and feature 1 at 1. The
  /// result is Phi(mean / sqrt(1 + variance)).
  @Test func aProbitRegressorAveragesOverItsWeights() throws {
    func gaussian(_ mean: Double, _ precision: Double) -> F.Fields {
      { writer in
        writer.append(1, double: mean)
        writer.append(2, double: precision)
      }
    }
    let weights: [[(value: Int64, mean: Double, precision: Double)]] = [[(1, 0.5, 2), (2, -0.3, 4)], [(1, 1.2, 5)]]
    let model = F.model(
      304, [.array("x", [2]), .double("optimism").optional],
      [.double("mean"), .double("variance"), .double("pessimistic"), .double("p")]
    ) { message in
      message.append(1, int: 2)
      message.append(2, message: gaussian(0.2, 8))
      for (id, feature) in weights.enumerated() {
        message.append(3) { entry in
          entry.append(1, int: Int64(id))
          for (value, mean, precision) in feature {
            entry.append(2) { weight in
              weight.append(1, int: value)
              weight.append(2, message: gaussian(mean, precision))
            }
          }
        }
      }
      for (field, name) in [(10, "x"), (11, "optimism"), (20, "mean"), (21, "variance"), (22, "pessimistic")] {
        message.append(field, string: name)
      }
    }
    let x = try MLMultiArray([2, 1] as [Double])
    let found = try F.predict(model, ["x": x, "optimism": -1.5])
    func number(_ name: String) -> Double { found.featureValue(for: name)?.doubleValue ?? .nan }
    #expect(abs(number("mean") - 1.1) < 1e-12)
    #expect(abs(number("variance") - 0.575) < 1e-12)
    #expect(abs(number("p") - 0.8096211281174601) < 1e-9)
    #expect(abs(number("pessimistic") - 0.4881029166786431) < 1e-9)
    let neutral = try F.predict(model, ["x": x]).featureValue(for: "pessimistic")?.doubleValue
    #expect(abs((neutral ?? .nan) - 0.8096211281174601) < 1e-9)
  }

  @Test func aLinkedModelIsTakenIn() throws {
    func link(_ name: String, path: String = "") -> [UInt8] {
      F.model(556, [.double("x")], [.double("x")]) { message in
        message.append(1) { file in
          file.append(1) { $0.append(1, string: name) }
          file.append(2) { $0.append(1, string: path) }
        }
      }
    }
    let doubled = F.model(604, [.double("x")], [.double("x")]) { $0.append(2, packed: [2.0]) }
    let result = try F.predict(link("other.mlmodel"), ["x": 3.0], beside: ["other.mlmodel": doubled])
    #expect(result.featureValue(for: "x")?.doubleValue == 6)
    #expect {
      try F.predict(link("other.mlmodel"), ["x": 3.0], beside: ["other.mlmodel": link("other.mlmodel")])
    } throws: { "\($0)".contains("deep") }
    for path in ["/", "..", "$BUNDLE_MAIN"] {
      #expect(throws: MLModelError.self) { try F.predict(link("other.mlmodel", path: path), ["x": 3.0]) }
    }
  }
}
