import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Pipeline stages that name features which their own descriptions leave out, and recommenders with empty lists.
@Suite struct NamedFeatureTests {
  typealias F = FeatureModels

  /// No feature dictionary can distinguish the two names.
  @Test func featuresThatDifferInCompositionAloneAreRefused() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    func stage(_ input: String, _ output: String) -> [UInt8] {
      F.model(604, [.double(input)], [.double(output)]) { $0.append(2, packed: [2.0]) }
    }
    let refusal = F.refusal(F.pipeline([.double("x")], [.double("y")], [stage("x", composed), stage(decomposed, "y")]))
    #expect(refusal?.contains("in two ways that differ in Unicode composition alone") == true, "\(refusal ?? "nil")")
    let right = F.pipeline([.double("x")], [.double("y")], [stage("x", composed), stage(composed, "y")])
    #expect(try F.predict(right, ["x": 1.0]).featureValue(for: "y")?.doubleValue == 4)
  }

  @Test func aVectorizerTakesColumnsOfThePipeline() throws {
    let full = F.vectorizer([(.double("a"), 1), (.double("b"), 1)], 2)
    let named = F.model(602, [.double("a")], [.array("vector", [2])]) { message in
      for name in ["a", "b"] {
        message.append(1) { column in
          column.append(1, string: name)
          column.append(2, uint: 1)
        }
      }
    }
    for stage in [full, named] {
      let pipeline = F.pipeline([.double("a"), .double("b")], [.array("vector", [2])], [stage])
      #expect(try F.predict(pipeline, ["a": 1.0, "b": 2.0]).numbers("vector") == [1, 2])
    }
    #expect(F.refusal(named)?.contains("no input feature 'b'") == true)
    let error = #expect(throws: MLModelError.self) {
      try F.predict(F.pipeline([.double("a"), .double("b")], [.array("vector", [2])], [named]), ["a": 1.0])
    }
    #expect(error?.message.contains("'b' is missing") == true)
  }

  @Test func aProbitRegressorTakesItsOptimismFromThePipeline() throws {
    func stage(_ inputs: [F.Feature]) -> [UInt8] {
      F.model(304, inputs, [.double("p")]) { message in
        message.append(1, int: 1)
        message.append(2) { bias in
          bias.append(1, double: 0)
          bias.append(2, double: 1)
        }
        for (field, name) in [(10, "x"), (11, "optimism"), (22, "p")] { message.append(field, string: name) }
      }
    }
    let x = try MLMultiArray([0] as [Double])
    func p(_ model: [UInt8], _ more: [String: Any] = [:]) throws -> Double? {
      try F.predict(model, more.merging(["x": x]) { $1 }).featureValue(for: "p")?.doubleValue
    }
    let described = stage([.array("x", [1]), .double("optimism").optional])
    let expected = try #require(try p(described, ["optimism": 1.0]))
    #expect(expected > 0.6)
    let input = F.Feature.array("x", [1])
    #expect(try p(stage([input])) == 0.5)
    for optimism in [F.Feature.double("optimism"), .double("optimism").optional] {
      let pipeline = F.pipeline([input, optimism], [.double("p")], [stage([input])])
      #expect(try p(pipeline, ["optimism": 1.0]) == expected)
      #expect(try p(pipeline) == 0.5)
    }
  }

  // MARK: recommenders

  /// The items a, b and c, each similar to the next one.
  private static func recommender(_ inputs: [F.Feature]) -> [UInt8] {
    F.model(501, inputs, [.strings("best")]) { message in
      for item in 0..<3 {
        message.append(1) { row in
          row.append(1, uint: UInt64(item))
          row.append(2) { connected in
            connected.append(1, uint: UInt64((item + 1) % 3))
            connected.append(2, double: 0.5)
          }
        }
      }
      message.append(2, message: F.strings(["a", "b", "c"]))
      for (field, name) in [(10, "items"), (11, "count"), (12, "restriction"), (13, "exclusion"), (20, "best")] {
        message.append(field, string: name)
      }
    }
  }

  private static var lists: [F.Feature] { [.int64("count"), .strings("restriction"), .strings("exclusion")] }

  private func best(_ model: [UInt8], count: Int64?, _ restriction: [String]?, _ exclusion: [String]?) throws
    -> [String]?
  {
    var features: [String: Any] = ["items": try MLFeatureValue(dictionary: ["a": 3])]
    if let count { features["count"] = count }
    for (name, list) in [("restriction", restriction), ("exclusion", exclusion)] {
      if let list { features[name] = MLFeatureValue(sequence: MLSequence(strings: list)) }
    }
    return try F.predict(model, features).featureValue(for: "best")?.sequenceValue?.stringValues
  }

  /// An empty restriction restricts nothing. An empty exclusion excludes nothing, not even the given items.
  @Test(arguments: [false, true]) func anEmptyListIsNoRestriction(_ isOptional: Bool) throws {
    let lists = Self.lists.map { isOptional ? $0.optional : $0 }
    let model = Self.recommender([.dictionary("items")] + lists)
    #expect(try best(model, count: 9, [], []) == ["b", "a", "c"])
    #expect(try best(model, count: 2, [], []) == ["b", "a"])
    #expect(try best(model, count: 9, [], ["b"]) == ["a", "c"])
    #expect(try best(model, count: 9, ["c", "a"], []) == ["a", "c"])
    #expect(try best(model, count: 9, ["nowhere"], []) == [])
    guard isOptional else {
      #expect(throws: MLModelError.self) { try best(model, count: 9, nil, []) }
      return
    }
    #expect(try best(model, count: nil, nil, nil) == ["b", "c"])
    #expect(try best(model, count: nil, [], nil) == ["b", "c"])
    #expect(try best(model, count: nil, nil, []) == ["b", "a", "c"])
  }

  @Test func aRecommenderTakesItsListsFromThePipeline() throws {
    let stage = Self.recommender([.dictionary("items")])
    #expect(try best(stage, count: nil, nil, nil) == ["b", "c"])
    let inputs = [F.Feature.dictionary("items")]
    let required = F.pipeline(inputs + Self.lists, [.strings("best")], [stage])
    #expect(try best(required, count: 9, [], []) == ["b", "a", "c"])
    #expect(try best(required, count: 1, ["c"], []) == ["c"])
    let optional = F.pipeline(inputs + Self.lists.map(\.optional), [.strings("best")], [stage])
    #expect(try best(optional, count: nil, nil, nil) == ["b", "c"])
    #expect(try best(optional, count: nil, ["c"], nil) == ["c"])
    // The same in a nested pipeline.
    let nested = F.pipeline(
      inputs + Self.lists.map(\.optional), [.strings("best")], [F.pipeline(inputs, [.strings("best")], [stage])])
    #expect(try best(nested, count: nil, nil, nil) == ["b", "c"])
    #expect(try best(nested, count: nil, nil, []) == ["b", "a", "c"])
  }
}
