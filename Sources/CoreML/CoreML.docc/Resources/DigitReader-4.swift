import CoreML

struct DigitReader {
  let model: MLModel
  let constraint: MLImageConstraint

  init(modelAt source: URL) async throws {
    let compiled = try await MLModel.compileModel(at: source)
    model = try await MLModel.load(contentsOf: compiled)
    let image = model.modelDescription.inputDescriptionsByName["image"]
    guard let constraint = image?.imageConstraint else { throw CocoaError(.coderValueNotFound) }
    self.constraint = constraint
  }

  struct Digit {
    let file: String
    let label: String
    let probability: Double
  }

  func read(_ pictures: [URL]) async throws -> [Digit] {
    var digits: [Digit] = []
    for picture in pictures {
      let image = try MLFeatureValue(imageAt: picture, constraint: constraint)
      let input = try MLDictionaryFeatureProvider(dictionary: ["image": image])
      let output = try await model.prediction(from: input)
      let label = output.featureValue(for: "classLabel")?.stringValue ?? ""
      let probabilities = output.featureValue(for: "classLabel_probs")?.dictionaryValue ?? [:]
      let probability = probabilities[label]?.doubleValue ?? 0
      digits.append(Digit(file: picture.lastPathComponent, label: label, probability: probability))
    }
    return digits
  }
}
