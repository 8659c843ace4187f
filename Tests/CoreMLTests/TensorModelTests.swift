import CoreML
import Testing

/// Predictions from tensors, and operations on their results.
@Suite struct TensorModelTests {
  @Test func aStatefulModelPredictsFromTensors() async throws {
    let url = try await MLModel.compileModel(
      at: SampleCodeChecks.cases().appending(path: "models/states/loop.mlpackage"))
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try await MLModel.load(contentsOf: url)
    let inputs = try model.modelDescription.inputDescriptionsByName.mapValues { feature in
      let shape = try #require(feature.multiArrayConstraint).shape.map(\.intValue)
      return MLTensor(ones: shape, scalarType: Float.self) * 0.5
    }
    let arrays = try await withThrowingTaskGroup(of: (String, MLShapedArray<Float>).self) { group in
      for (name, tensor) in inputs { group.addTask { (name, await tensor.shapedArray(of: Float.self)) } }
      return try await group.reduce(into: [String: Any]()) { $0[$1.0] = MLMultiArray($1.1) }
    }
    let (state, other) = (model.makeState(), model.makeState())
    for _ in 0..<3 {
      let output = try await model.prediction(from: inputs, using: state)
      let plain = try await model.prediction(from: MLDictionaryFeatureProvider(dictionary: arrays), using: other)
      for name in plain.featureNames {
        let expected = try #require(plain.featureValue(for: name)?.multiArrayValue)
        let tensor = try #require(output[name]).cast(to: Float.self) * 2
        let found = await tensor.shapedArray(of: Float.self)
        #expect(found.shape == expected.shape.map(\.intValue))
        for place in 0..<expected.count { #expect(found.scalars[place] == 2 * expected[place].floatValue) }
      }
    }
  }

  @Test func whatIsNoArrayIsRefused() async throws {
    let url = try await MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: "digits/Digits.mlmodel"))
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try MLModel(contentsOf: url)
    await #expect(throws: MLModelError.self) {
      try await model.prediction(from: ["image": MLTensor(zeros: [1, 8, 8], scalarType: Float.self)])
    }
    await #expect(throws: MLModelError.self) { try await model.prediction(from: [String: MLTensor]()) }
  }
}
