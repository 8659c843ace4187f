import CoreML
import Foundation

// A drawing classifier that learns a new label from three drawings. The drawings become feature values through the
// model's image constraint. An update task trains a compiled model. The result is written next to the model and then
// replaces it. The model loaded from there recognizes drawings that are not among the examples.
//
//     swift run DrawingClassifier

let folder = URL(filePath: #filePath).deletingLastPathComponent()
let work = FileManager.default.temporaryDirectory.appending(path: "drawings-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: work) }

// The application's model, in a folder where it may be replaced.
let modelURL = work.appending(path: "DrawingClassifier.mlmodelc")
let compiled = try MLModel.compileModel(at: folder.appending(path: "DrawingClassifier.mlmodel"))
try FileManager.default.moveItem(at: compiled, to: modelURL)

func drawing(_ name: String, for model: MLModel) throws -> MLFeatureValue {
  guard let constraint = model.modelDescription.inputDescriptionsByName["drawing"]?.imageConstraint else {
    throw CocoaError(.coderValueNotFound)
  }
  return try MLFeatureValue(imageAt: folder.appending(path: "drawings/\(name).png"), constraint: constraint)
}

func recognise(_ names: [String]) throws {
  let model = try MLModel(contentsOf: modelURL)
  for name in names {
    let input = try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing(name, for: model)])
    let label = try model.prediction(from: input).featureValue(for: "label")?.stringValue ?? "nothing"
    print("  \(name) is \(label)")
  }
}

func learn(_ label: String, from names: [String]) throws {
  let model = try MLModel(contentsOf: modelURL)
  let examples = try names.map {
    try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing($0, for: model), "label": label])
  }
  let done = DispatchSemaphore(value: 0)
  let handlers = MLUpdateProgressHandlers(
    forEvents: [.trainingBegin, .epochEnd],
    progressHandler: { context in
      if context.event == .epochEnd { print("  an epoch over \(names.count) drawings of '\(label)' has ended") }
    },
    completionHandler: { context in
      defer { done.signal() }
      do {
        if let error = context.task.error { throw error }
        let fresh = work.appending(path: "Updated.mlmodelc")
        try context.model.write(to: fresh)
        _ = try FileManager.default.replaceItemAt(modelURL, withItemAt: fresh)
      } catch {
        print("  the update failed: \(error.localizedDescription)")
      }
    })
  try MLUpdateTask(
    forModelAt: modelURL, trainingData: MLArrayBatchProvider(array: examples), configuration: nil,
    progressHandlers: handlers
  ).resume()
  done.wait()
}

let unseen = ["eight-4", "eight-5", "four-4", "four-5", "two-4", "two-5"]
print("Before it has learnt anything:")
try recognise(unseen)
for label in ["eight", "four", "two"] {
  print("It learns '\(label)':")
  try learn(label, from: (1...3).map { "\(label)-\($0)" })
}
print("Afterwards, of drawings that it never saw:")
try recognise(unseen)
