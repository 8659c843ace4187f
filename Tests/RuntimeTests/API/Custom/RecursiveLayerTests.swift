import Foundation
import Synchronization
import TestModels
import Testing

@testable import CoreMLRuntime

/// A custom layer that predicts with its own model does not wait for itself.
@Suite struct RecursiveLayerTests {
  /// y(x) = x < 1 ? 0 : 1 + y(x - 1), where the layer predicts with its own model.
  final class Recursive: MLCustomLayer {
    static let model = Mutex<MLModel?>(nil)
    required init(parameters: [String: Any]) throws {}
    func setWeightData(_ weights: [Data]) throws {}
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      let x = inputs[0][0].floatValue
      guard x >= 1, let model = Self.model.withLock({ $0 }) else {
        outputs[0][0] = 0
        return
      }
      outputs[0][0] = NSNumber(value: 1 + (try CustomLayers.predict(model, [x - 1], [1])?.first ?? 0))
    }
  }

  @Test func aCustomLayerMayPredictWithItsOwnModelButNotWithoutEnd() throws {
    MLCustomLayerRegistry.register(Recursive.self, forClassName: "Recursive")
    defer {
      MLCustomLayerRegistry.unregister("Recursive")
      Recursive.model.withLock { $0 = nil }
    }
    let layer = CustomLayers.layer("Recursive", ["x"], ["y"])
    let model = try FeatureModels.load(CustomLayers.model([layer], from: [1], to: [1]))
    Recursive.model.withLock { $0 = model }
    #expect(try CustomLayers.predict(model, [3], [1]) == [3])
    let error = #expect(throws: MLModelError.self) { try CustomLayers.predict(model, [1000], [1]) }
    #expect(error?.message.contains("within itself") == true, "\(String(describing: error))")
    #expect(try CustomLayers.predict(model, [2], [1]) == [2])
  }
}
