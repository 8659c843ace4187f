import CoreMLBase
import CoreMLSpec
import Foundation
import MIL
import Synchronization
import TestModels
import Testing

@testable import CoreMLExecution
@testable import CoreMLRuntime

/// Tabular models: predictions for one row and for many rows, compared with the general plan.
@Suite struct RowPredictionTests {
  typealias F = FeatureModels

  private static let pipeline = F.pipeline(
    [.double("size"), .array("more", [2]), .string("color"), .dictionary("words")],
    [.string("label"), .dictionary("p")],
    [
      F.oneHot,
      F.model(603, [.dictionary("words")], [.dictionary("places", integers: true)]) {
        $0.append(1, message: F.strings(["a", "b"]))
      },
      F.model(604, [.array("more", [2])], [.array("scaled", [2])]) {
        $0.append(1, packed: [1.0, -1.0])
        $0.append(2, packed: [2.0, 3.0])
      },
      F.vectorizer(
        [
          (.double("size"), 1), (.array("scaled", [2]), 2), (.dictionary("color", integers: true), 3),
          (.dictionary("places", integers: true), 2),
        ], 8),
      F.classifier(
        .array("vector", [8]),
        [[0.5, 1, 2, 4, -1, 0.25, 3, -2], [1, -1, 0.5, 0, 2, 1, -1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]],
        ["low", "middle", "high"]),
    ])

  private static func row(_ number: Int) throws -> MLDictionaryFeatureProvider {
    let more = try MLMultiArray([Double(number % 7) / 3, Double(number % 5) - 2])
    let words: [AnyHashable: NSNumber] = number % 3 == 0 ? [:] : ["a": NSNumber(value: number % 4), "zzz": 5]
    return try MLDictionaryFeatureProvider(dictionary: [
      "size": Double(number) / 10 - 3, "more": more, "color": ["red", "green", "blue"][number % 3], "words": words,
    ])
  }

  /// A prediction through the general plan.
  private static func elsewhere(_ model: MLModel, _ row: any MLFeatureProvider) throws -> any MLFeatureProvider {
    try Prediction(model.content).run(
      row, options: MLPredictionOptions(), states: model.engine.freshStates(), shouldStop: { false })
  }

  private static func expectEqual(
    _ a: any MLFeatureProvider, _ b: any MLFeatureProvider, _ row: Int, location: SourceLocation = #_sourceLocation
  ) {
    #expect(a.featureNames == b.featureNames, sourceLocation: location)
    for name in a.featureNames {
      #expect(a.featureValue(for: name) == b.featureValue(for: name), "\(name) of row \(row)", sourceLocation: location)
    }
  }

  @Test func aPipelineOfStringsAndDictionariesIsOneOfNumbers() throws {
    let model = try F.load(Self.pipeline)
    #expect(try model.content.rows != nil)
    let rows = try (0..<70).map { try Self.row($0) }
    let together = try model.predictions(fromBatch: MLArrayBatchProvider(array: rows))
    #expect(together.count == rows.count)
    for (number, row) in rows.enumerated() {
      let single = try model.prediction(from: row)
      Self.expectEqual(try Self.elsewhere(model, row), single, number)
      Self.expectEqual(single, together.features(at: number), number)
    }
  }

  /// A session is reused after a successful prediction, and not after a failed one. Here the prediction is cancelled.
  @Test(arguments: [1, 32]) func aSessionWhoseRunFailedIsNotUsedAgain(rows count: Int) throws {
    let model = try F.load(Self.pipeline)
    let runner = try #require(try model.content.rows).runner
    let batch = MLArrayBatchProvider(array: try (0..<count).map { try Self.row($0) })
    let before = try model.predictions(fromBatch: batch)
    weak var kept: TabularSession?
    func isKept() throws -> Bool {
      let session = try #require(runner.session(rows: count))
      defer { runner.give(session) }
      guard let kept else {
        kept = session
        return false
      }
      return session === kept
    }
    #expect(try !isKept())
    #expect(kept != nil)
    _ = try model.predictions(fromBatch: batch)
    #expect(try isKept())
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: (any Error).self) {
      try cancellation.during {
        _ = try #require(try model.content.rows).predictions(from: batch) { try model.prediction(from: $0) }
      }
    }
    // A cancellation that is true from the start would end the call before the first row. This one cancels the run
    // itself.
    let features = try #require(try model.content.rows)
    let rounds = Atomic(0)
    let late = Cancellation { rounds.add(1, ordering: .relaxed).newValue > 1 }
    _ = try? late.during { try features.predictions(from: batch) { try model.prediction(from: $0) } }
    #expect(kept == nil)
    let after = try model.predictions(fromBatch: batch)
    for row in 0..<count { Self.expectEqual(before.features(at: row), after.features(at: row), row) }
  }

  @Test func aRowThatIsWrongIsAnErrorAmongOthersToo() throws {
    let model = try F.load(Self.pipeline)
    var rows: [any MLFeatureProvider] = try (0..<40).map { try Self.row($0) }
    rows[17] = try MLDictionaryFeatureProvider(dictionary: [
      "size": 1.0, "more": try MLMultiArray([1.0, 2.0]), "color": "mauve", "words": [:] as [AnyHashable: NSNumber],
    ])
    let error = #expect(throws: MLModelError.self) { try model.prediction(from: rows[17]) }
    #expect(error?.message.contains("mauve") == true)
    let same = #expect(throws: MLModelError.self) {
      try model.predictions(fromBatch: MLArrayBatchProvider(array: rows))
    }
    #expect(same?.message == error?.message)
  }

  @Test func rowsOfTreesAreTheirSinglePredictionsBitForBit() throws {
    let model = try F.load(Self.trees)
    #expect(try model.content.rows != nil)
    let rows = try (0..<100).map { number in
      let x = (0..<3).map { Double((number * (7 + 2 * $0)) % 11) / 5 - 1 }
      return try MLDictionaryFeatureProvider(dictionary: [
        "x": try MLMultiArray(number % 9 == 0 ? [Double.nan, x[1], x[2]] : x)
      ])
    }
    for count in [11, 12, 33, 100] {
      let together = try model.predictions(fromBatch: MLArrayBatchProvider(array: Array(rows[..<count])))
      for number in 0..<count {
        let single = try model.prediction(from: rows[number])
        Self.expectEqual(single, together.features(at: number), number)
        Self.expectEqual(try Self.elsewhere(model, rows[number]), single, number)
      }
    }
  }

  /// Twenty trees of depth two over three features.
  private static let trees = F.model(302, [.array("x", [3])], [.double("y")], label: "y") { message in
    message.append(1) { ensemble in
      for tree in 0..<20 {
        func node(_ id: Int, _ fields: (inout WireWriter) -> Void) {
          ensemble.append(1) { node in
            node.append(1, uint: UInt64(tree))
            node.append(2, uint: UInt64(id))
            fields(&node)
          }
        }
        for id in 0..<3 {
          node(id) {
            $0.append(3, int: Int64((tree + id) % 4))
            $0.append(10, uint: UInt64((tree + id) % 3))
            $0.append(11, double: Double(tree % 5) / 3 - Double(id) / 2)
            $0.append(12, uint: UInt64(2 * id + 1))
            $0.append(13, uint: UInt64(2 * id + 2))
            $0.append(14, bool: tree % 2 == 0)
          }
        }
        for id in 3..<7 {
          node(id) {
            $0.append(3, int: 6)
            $0.append(20) { $0.append(2, double: Double(tree * id) / 7) }
          }
        }
      }
      ensemble.append(2, uint: 1)
      ensemble.append(3, packed: [0.25])
    }
  }
}
