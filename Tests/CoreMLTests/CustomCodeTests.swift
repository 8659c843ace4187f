import CoreML
import Foundation
import Testing

/// Custom layers and models as programs for Apple's framework write them. The only addition is the registration of
/// their classes.
@Suite struct CustomCodeTests {
  final class Swish: NSObject, MLCustomLayer {
    private let beta: Float
    private var offsets: [Float] = []

    required init(parameters: [String: Any]) throws {
      beta = (parameters["beta"] as? Double).map { Float($0) } ?? 1
      super.init()
    }

    func setWeightData(_ weights: [Data]) throws {
      offsets = weights[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }

    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      for i in 0..<inputs.count {
        let input = inputs[i]
        let output = outputs[i]
        for j in 0..<input.count {
          let x = input[j].floatValue
          let y = x / (1 + exp(-beta * x)) + offsets[j % offsets.count]
          output[j] = NSNumber(value: y)
        }
      }
    }
  }

  final class Greeter: NSObject, MLCustomModel {
    private let greeting: String
    private let output: String

    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {
      greeting = parameters["greeting"] as? String ?? ""
      output = modelDescription.outputDescriptionsByName.keys.first ?? ""
    }

    func prediction(from input: MLFeatureProvider, options: MLPredictionOptions) throws -> MLFeatureProvider {
      let name = input.featureValue(for: "name")?.stringValue ?? "nobody"
      return try MLDictionaryFeatureProvider(dictionary: [output: MLFeatureValue(string: "\(greeting), \(name)!")])
    }
  }

  private func compiled(_ name: String) throws -> URL {
    let models = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Cases/models")
    return try MLModel.compileModel(at: models.appending(path: "\(name).mlmodel"))
  }

  @Test func aCustomLayerComputes() async throws {
    MLCustomLayerRegistry.register(Swish.self, forClassName: "Swish")
    defer { MLCustomLayerRegistry.unregister("Swish") }
    let url = try compiled("customLayer")
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try await MLModel.load(contentsOf: url, configuration: MLModelConfiguration())
    let values: [Float] = [-2, -1, 0, 1, 2, 3]
    let x = try MLMultiArray(shape: [2, 3], dataType: .float32)
    for (index, value) in values.enumerated() { x[index] = NSNumber(value: value) }
    let y = try await model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x]))
      .featureValue(for: "y")?.multiArrayValue
    func swish(_ x: Double, _ index: Int) -> Double { x / (1 + exp(-2 * x)) + (index % 2 == 0 ? 0.5 : -0.5) }
    for (index, value) in values.enumerated() {
      let expected = swish(2 * swish(Double(value), index), index)
      #expect(abs((y?[index].doubleValue ?? .nan) - expected) < 1e-5)
    }
  }

  @Test func aCustomModelPredicts() throws {
    MLCustomModelRegistry.register(Greeter.self, forClassName: "Greeter")
    defer { MLCustomModelRegistry.unregister("Greeter") }
    let url = try compiled("customModel")
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try MLModel(contentsOf: url)
    let input = try MLDictionaryFeatureProvider(dictionary: ["name": "Ada"])
    #expect(try model.prediction(from: input).featureValue(for: "text")?.stringValue == "Hello, Ada!")
    let batch = MLArrayBatchProvider(array: [input, input])
    #expect(
      try model.predictions(fromBatch: batch).features(at: 1).featureValue(for: "text")?.stringValue == "Hello, Ada!")
  }

  @Test func missingClassesHaveAppleCodes() throws {
    for (name, code) in [("customLayer", MLModelError.Code.customLayer), ("customModel", .customModel)] {
      // Compiling needs no class, but loading does. These files name other classes than those of this file's tests.
      let url = try compiled(name)
      defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
      let text = url.appending(path: "model.mil")
      let renamed = try String(contentsOf: text, encoding: .utf8)
        .replacingOccurrences(of: "\"Swish\"", with: "\"Absent\"").replacingOccurrences(
          of: "\"Greeter\"", with: "\"Absent\"")
      try renamed.write(to: text, atomically: true, encoding: .utf8)
      #expect { _ = try MLModel(contentsOf: url) } throws: { error in
        (error as NSError).domain == MLModelErrorDomain && (error as NSError).code == code.rawValue
          && error.localizedDescription.contains("'Absent'")
      }
    }
  }
}
