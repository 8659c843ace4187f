import CoreML

func learn(_ examples: [(MLFeatureValue, String)], modelAt url: URL) async throws {
  let batch = MLArrayBatchProvider(
    array: try examples.map { drawing, label in
      try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing, "label": label])
    })
  typealias Trained = any MLModel & MLWritable
  let model = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Trained, any Error>) in
    do {
      let task = try MLUpdateTask(forModelAt: url, trainingData: batch, configuration: nil) { context in
        if let error = context.task.error {
          done.resume(throwing: error)
        } else {
          done.resume(returning: context.model)
        }
      }
      task.resume()
    } catch { done.resume(throwing: error) }
  }
  let fresh = url.deletingLastPathComponent().appending(path: "\(UUID().uuidString).mlmodelc")
  try model.write(to: fresh)
  _ = try FileManager.default.replaceItemAt(url, withItemAt: fresh)
}
