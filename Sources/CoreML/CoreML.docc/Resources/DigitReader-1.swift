import CoreML

struct DigitReader {
  let model: MLModel

  init(modelAt source: URL) async throws {
    let compiled = try await MLModel.compileModel(at: source)
    model = try await MLModel.load(contentsOf: compiled)
  }
}
