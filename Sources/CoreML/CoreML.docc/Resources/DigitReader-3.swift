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
}
