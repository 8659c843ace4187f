import CoreML

func digit(in picture: URL, modelAt source: URL) async throws -> String {
  let compiled = try await MLModel.compileModel(at: source)
  let model = try await MLModel.load(contentsOf: compiled)
  guard let constraint = model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint else {
    throw CocoaError(.coderValueNotFound)
  }
  let image = try MLFeatureValue(imageAt: picture, constraint: constraint)
  let input = try MLDictionaryFeatureProvider(dictionary: ["image": image])
  let output = try await model.prediction(from: input)
  return output.featureValue(for: "classLabel")?.stringValue ?? ""
}

func describe(_ model: MLModel) {
  for (name, input) in model.modelDescription.inputDescriptionsByName { print("in ", name, input) }
  for (name, output) in model.modelDescription.outputDescriptionsByName { print("out", name, output) }
}

func numbers(_ model: MLModel, _ rows: [[Float]]) throws -> [[Float]] {
  let batch = MLArrayBatchProvider(
    array: try rows.map { row in
      let array = MLMultiArray(MLShapedArray(scalars: row, shape: [row.count]))
      return try MLDictionaryFeatureProvider(dictionary: ["x": array])
    })
  let results = try model.predictions(fromBatch: batch)
  return (0..<results.count).map { row in
    guard let array = results.features(at: row).featureValue(for: "y")?.multiArrayValue else { return [] }
    return MLShapedArray<Float>(converting: array).scalars
  }
}
