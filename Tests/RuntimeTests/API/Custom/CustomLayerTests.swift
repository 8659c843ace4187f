import CoreMLBase
import Foundation
import TestModels
import Testing

@testable import CoreMLRuntime

/// Custom layers: the runtime finds them by class name, passes them the model's parameters, and runs them as any
/// operation.
@Suite struct CustomLayerTests {
  typealias C = CustomLayers

  static func affine(_ className: String, _ input: String, _ output: String, ranks: [UInt64] = []) -> Net.Layer {
    C.layer(
      className, [input], [output], ranks: ranks, parameters: ["scale": { $0.append(10, double: 3) }],
      weights: [{ $0.append(1, packed: [0.5] as [Float]) }])
  }

  @Test func aLayerRunsBetweenOthers() throws {
    MLCustomLayerRegistry.register(C.Affine.self, forClassName: "Between")
    defer { MLCustomLayerRegistry.unregister("Between") }
    let layers = [Net.add("x", 1, "a"), Self.affine("Between", "a", "b"), Net.multiply("b", 2, "y")]
    let model = try FeatureModels.load(C.model(layers, from: [2, 3], to: [2, 3]))
    // 2 (3 (x + 1) + 0.5)
    #expect(try C.predict(model, [0, 1, 2, 3, 4, 5], [2, 3]) == [7, 13, 19, 25, 31, 37])
    #expect(C.Affine.seen.withLock { $0.contains([[2, 3]]) })
  }

  @Test func legacyNetworksShowFiveAxes() throws {
    MLCustomLayerRegistry.register(C.Affine.self, forClassName: "FiveAxes")
    defer { MLCustomLayerRegistry.unregister("FiveAxes") }
    let model = try FeatureModels.load(
      C.model([Self.affine("FiveAxes", "x", "y")], from: [7], to: [7], isExact: false))
    #expect(try C.predict(model, [0, 1, 2, 3, 4, 5, 6], [7]) == [0.5, 3.5, 6.5, 9.5, 12.5, 15.5, 18.5])
    #expect(C.Affine.seen.withLock { $0.contains([[1, 1, 7, 1, 1]]) })
  }

  @Test func theClassGetsWhatTheModelSays() throws {
    MLCustomLayerRegistry.register(C.Keeper.self, forClassName: "Keeper")
    defer { MLCustomLayerRegistry.unregister("Keeper") }
    let floats = (0..<200).map { Float($0) }
    let layer = C.layer(
      "Keeper", ["x"], ["y"],
      parameters: [
        "double": { $0.append(10, double: 2.5) }, "string": { $0.append(20, string: "a \"word\"\n") },
        "int": { $0.append(30, int: -7) }, "long": { $0.append(40, int: .max) },
        "bool": { $0.append(50, bool: true) },
      ],
      weights: [
        { $0.append(1, packed: floats) }, { $0.append(2, bytes: [0, 0x3c, 0, 0x40] as [UInt8]) },
        { $0.append(30, bytes: [1, 2, 3] as [UInt8]) }, { $0.append(31, bytes: [0xff, 0x80] as [UInt8]) }, { _ in },
      ])
    let model = try FeatureModels.load(C.model([layer], from: [3], to: [3])) { folder in
      let weights = try Data(contentsOf: folder.appending(path: "weights/weight.bin"))
      #expect(weights.range(of: Data(floats.flatMap { withUnsafeBytes(of: $0) { Array($0) } })) != nil)
      let text = try String(contentsOf: folder.appending(path: "model.mil"), encoding: .utf8)
      #expect(text.contains("nn.custom") && text.contains("\"Keeper\"") && text.contains("BLOBFILE"))
    }
    #expect(try C.predict(model, [1, 2, 3], [3]) == [1, 2, 3])
    #expect(
      C.Keeper.parameters.withLock { $0 } == [
        "double": "2.5", "string": "a \"word\"\n", "int": "-7", "long": "\(Int64.max)", "bool": "true", "count": "5",
      ])
    let weights = C.Keeper.weights.withLock { $0 }
    #expect(weights.map(\.count) == [800, 4, 3, 2, 0])
    #expect(weights[0].withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 796, as: Float.self) } == 199)
    #expect(Array(weights[1]) == [0, 0x3c, 0, 0x40] && Array(weights[3]) == [0xff, 0x80])
  }

  @Test func ranksComeFromTheFile() throws {
    MLCustomLayerRegistry.register(C.Rows.self, forClassName: "RowSums")
    defer { MLCustomLayerRegistry.unregister("RowSums") }
    let layers = [
      C.layer("RowSums", ["x"], ["sums", "columns"], ranks: [1, 1]), Net.concat(["sums", "columns"], "y"),
    ]
    let model = try FeatureModels.load(C.model(layers, from: [2, 3], to: [3]))
    #expect(try C.predict(model, [1, 2, 3, 4, 5, 6], [2, 3]) == [6, 15, 3])
    // If the layer declares no rank, an output that is a feature has the rank of the feature.
    let bare = try FeatureModels.load(
      C.model([C.layer("RowSums", ["x"], ["y", "n"], ranks: [0, 1])], from: [2, 3], to: [2]))
    #expect(try C.predict(bare, [1, 2, 3, 4, 5, 6], [2, 3]) == [6, 15])
  }

  @Test func branchesLoopsAndShapesOfRunTime() throws {
    MLCustomLayerRegistry.register(C.Affine.self, forClassName: "Nested")
    defer { MLCustomLayerRegistry.unregister("Nested") }
    let loop = [Net.copy("x", "y"), Net.loop(count: 2, [Self.affine("Nested", "y", "t"), Net.copy("t", "y")])]
    let looped = try FeatureModels.load(C.model(loop, from: [2], to: [2]))
    #expect(try C.predict(looped, [0, 1], [2]) == [2, 11])
    // The positions where `x` is not zero: one row for each.
    let found = [Net.layer(1313, ["x"], ["places"]), Self.affine("Nested", "places", "y")]
    let dynamic = try FeatureModels.load(C.model(found, from: [4], to: [4, 1]))
    #expect(try C.predict(dynamic, [0, 5, 0, 5], [4]) == [3.5, 9.5])
    #expect(try C.predict(dynamic, [0, 0, 5, 0], [4]) == [6.5])
  }

  @Test func aModelInAPipeline() throws {
    MLCustomLayerRegistry.register(C.Affine.self, forClassName: "Staged")
    defer { MLCustomLayerRegistry.unregister("Staged") }
    let network = C.model([Self.affine("Staged", "x", "y")], from: [2], to: [2])
    let scaler = FeatureModels.model(604, [.array("y", [2])], [.array("z", [2])]) { $0.append(2, packed: [10.0, 100]) }
    let pipeline = FeatureModels.pipeline([.array("x", [2])], [.array("z", [2])], [network, scaler])
    let result = try FeatureModels.predict(pipeline, ["x": C.array([1, 2], [2])])
    #expect(result.numbers("z") == [35, 650])
  }

  @Test func concurrentPredictionsShareTheObject() async throws {
    MLCustomLayerRegistry.register(C.Affine.self, forClassName: "Shared")
    let model = try FeatureModels.load(C.model([Self.affine("Shared", "x", "y")], from: [64], to: [64]))
    // A model keeps its classes after they are unregistered.
    MLCustomLayerRegistry.unregister("Shared")
    let sums = try await withThrowingTaskGroup(of: Bool.self) { group in
      for seed in 0..<24 {
        group.addTask {
          let values = (0..<64).map { Float($0 + seed) }
          return try C.predict(model, values, [64]) == values.map { Double($0 * 3 + 0.5) }
        }
      }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(sums.count == 24 && sums.allSatisfy { $0 })
  }

  @Test func oneObjectIsCalledByOneAtATime() async throws {
    MLCustomLayerRegistry.register(Lone.self, forClassName: "Lone")
    defer { MLCustomLayerRegistry.unregister("Lone") }
    let model = try FeatureModels.load(C.model([C.layer("Lone", ["x"], ["y"])], from: [1], to: [1]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try C.predict(model, [1], [1]) } }
      try await group.waitForAll()
    }
    #expect(try C.predict(model, [1], [1]) == [9])
  }

  /// Counts its calls slowly, so that concurrent calls would lose counts.
  final class Lone: MLCustomLayer {
    private var calls = 0
    required init(parameters: [String: Any]) throws {}
    func setWeightData(_ weights: [Data]) throws {}
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      let before = calls
      Thread.sleep(forTimeInterval: 0.002)
      calls = before + 1
      outputs[0][0] = NSNumber(value: calls)
    }
  }

  @Test func theRegistryIsSafe() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask {
          MLCustomLayerRegistry.register(C.Keeper.self, forClassName: "Race \(number % 4)")
          _ = MLCustomLayerRegistry.type("Race \(number % 4)")
          MLCustomLayerRegistry.unregister("Race \(number % 4)")
        }
      }
    }
    #expect((0..<4).allSatisfy { MLCustomLayerRegistry.type("Race \($0)") == nil })
  }

  @Test func aMissingClassIsNamed() throws {
    let model = C.model([Self.affine("Nowhere", "x", "y")], from: [2], to: [2])
    let error = #expect(throws: MLModelError.self) { try FeatureModels.load(model) }
    #expect(error?.code == .customLayer && error?.underlyingCode == "runtime.custom-layer")
    #expect(error?.underlyingError is RuntimeError)
    #expect(error?.message.contains("'Nowhere'") == true && error?.message.contains("'layer 500 y'") == true)
  }

  @Test(arguments: [
    ("init", "no parameters wanted"), ("weights", "no weights wanted"), ("shapes", "no such shape"),
    ("count", "gave 2 shapes, the layer has 1 outputs"), ("rank", "gave [1, 2, 1] for output 0, which has 2 axes"),
    ("negative", "gave [-1, 2], which is not the shape of an array"), ("huge", "is not the shape of an array"),
    ("evaluate", "evaluate(inputs:outputs:) threw: not today"),
  ])
  func whatGoesWrongIsNamed(_ place: String, _ words: String) throws {
    MLCustomLayerRegistry.register(C.Unruly.self, forClassName: "Unruly")
    let layer = C.layer("Unruly", ["x"], ["y"], parameters: ["place": { $0.append(20, string: place) }])
    let error = #expect(throws: MLModelError.self) {
      try C.predict(FeatureModels.load(C.model([layer], from: [1, 2], to: [1, 2])), [1, 2], [1, 2])
    }
    #expect(error?.code == .customLayer, "\(String(describing: error))")
    #expect(
      error?.message.contains(words) == true && error?.message.contains("'Unruly'") == true,
      "\(String(describing: error))")
  }

  @Test func damagedLayers() {
    let empty = C.layer("Any", ["x"], ["y"], parameters: ["p": { _ in }])
    #expect(FeatureModels.refusal(C.model([empty], from: [1], to: [1]))?.contains("'p' has no value") == true)
    let huge = C.layer("Any", ["x"], ["y"], ranks: [UInt64(UInt32.max)])
    #expect(FeatureModels.refusal(C.model([huge], from: [1], to: [1])) != nil)
    let sourceless = C.layer("Any", [], ["t"])
    #expect(
      FeatureModels.refusal(C.model([sourceless, Net.copy("x", "y")], from: [1], to: [1]))?.contains("no inputs")
        == true)
  }

  /// Text of a compiled model that differs from what the compiler writes.
  @Test(arguments: [
    ("class_name = string(\"Hostile\")", "class_name = int32(3)"),
    ("class_name = string(\"Hostile\")", "class_name = x"),
    ("class_name = string(\"Hostile\")", "class_name = tensor<string, [2]>([\"a\", \"b\"])"),
    ("parameter_names = tensor<string, [1]>([\"scale\"])", "parameter_names = tensor<string, [2]>([\"scale\", \"b\"])"),
    ("parameter_names = tensor<string, [1]>([\"scale\"])", "parameter_names = int32(1)"),
    ("parameter_values = fp64(3.0)", "parameter_values = tensor<fp64, [1]>([3.0])"),
    ("weights = tensor<uint8, [4]>", "weights = tensor<int32, [4]>"),
    ("values = x", "values = int32(1)"), ("values = x", "values = string(\"x\")"),
  ])
  func hostileText(_ written: String, _ instead: String) throws {
    MLCustomLayerRegistry.register(C.Affine.self, forClassName: "Hostile")
    let model = C.model([Self.affine("Hostile", "x", "y")], from: [2], to: [2])
    #expect(throws: MLModelError.self) {
      let loaded = try FeatureModels.load(model) { folder in
        let file = folder.appending(path: "model.mil")
        let text = try String(contentsOf: file, encoding: .utf8)
        try #require(text.contains(written), "\(text)")
        try text.replacingOccurrences(of: written, with: instead).write(to: file, atomically: true, encoding: .utf8)
      }
      _ = try C.predict(loaded, [1, 2], [2])
    }
  }
}
