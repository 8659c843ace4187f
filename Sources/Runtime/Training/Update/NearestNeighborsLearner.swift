import CoreMLBase
import CoreMLExecution
import CoreMLImport
import CoreMLSpec
import Foundation
import MIL

/// Trains a nearest-neighbor classifier at the end of a model: every example becomes a sample with its label. Earlier
/// models in a pipeline are not trained; they compute the sample from the example.
final class NearestNeighborsLearner: Learner {
  private let model: ImportedModel
  private let classifier: Classifier
  private let loaded: MLModel
  /// The function up to the input of the classifier.
  private let prefix: Engine
  private let label: String
  private let samples: Tensor
  private let labels: Tensor
  private var newSamples: [[Float]] = []
  private var newStrings: [String] = []
  private var newIntegers: [Int64] = []

  /// The position of the classifier in the program.
  struct Classifier {
    let function: String
    let index: Int

    init?(_ model: ImportedModel) {
      for (name, function) in model.program.functions {
        guard let index = function.body.operations.lastIndex(where: { $0.type == Self.operation }) else { continue }
        (self.function, self.index) = (name, index)
        return
      }
      return nil
    }

    private static let operation = "ml.nearest_neighbors"
  }

  /// Returns nil if the model does not end in such a classifier.
  init?(_ model: ImportedModel, _ loaded: MLModel) throws {
    guard let classifier = Classifier(model), let function = model.program.functions[classifier.function] else {
      return nil
    }
    let operation = function.body.operations[classifier.index]
    guard let x = operation.inputs["x"]?.first?.name,
      let samples = operation.value("samples", function.constants)?.tensor,
      let labels = operation.value("labels", function.constants)?.tensor
    else { throw RuntimeError(.invalidModel, "\(operation.label) has no samples or labels that are known") }
    self.model = model
    self.classifier = classifier
    self.loaded = loaded
    (self.samples, self.labels) = (samples, labels)
    let description = loaded.modelDescription
    let inputs = description.inputDescriptionsByName
    let targets = description.trainingInputDescriptionsByName.keys.filter { inputs[$0] == nil }.sorted()
    guard let label = targets.first ?? description.predictedFeatureName, targets.count <= 1 else {
      throw RuntimeError(
        .invalidModel,
        "a nearest-neighbor classifier learns from one label, the model has the training inputs \(targets)")
    }
    self.label = label
    var front = function
    front.body.outputs = [x]
    front.featureOutputNames = [x]
    prefix = Engine(
      function: try front.after(RemoveDeadCode()), devices: loaded.engine.devices, weights: loaded.engine.weights)
  }

  func learn(_ examples: ArraySlice<Int>, of data: any MLBatchProvider, _ values: UpdateValues) throws -> Double? {
    for number in examples { try RuntimeError.naming(example: number) { try learn(data.features(at: number)) } }
    return nil
  }

  private func learn(_ example: any MLFeatureProvider) throws {
    let sample = try sample(of: example)
    guard sample.allSatisfy(\.isFinite) else {
      throw RuntimeError(.invalidInput, "the sample has an element that is not finite")
    }
    try remember(labelOf: example)
    newSamples.append(sample)
  }

  private func sample(of example: any MLFeatureProvider) throws -> [Float] {
    let values = try Prediction(loaded.content).values(of: example, for: prefix)
    let sample = try prefix.run(values, states: StateBuffers(types: [:]), shouldStop: { false }) { outputs in
      try outputs.first?.value.tensor?.doubles().map(Float.init) ?? []
    }
    guard samples.shape.count == 2, sample.count == samples.shape[1] else {
      throw RuntimeError(
        .invalidInput, "the example makes a sample of \(sample.count) elements, expected \(samples.shape.last ?? 0)")
    }
    return sample
  }

  private func remember(labelOf example: any MLFeatureProvider) throws {
    guard let value = example.featureValue(for: label), !value.isUndefined else {
      throw RuntimeError(.invalidInput, "the label '\(label)' is missing")
    }
    switch (value.type, labels.scalar) {
    case (.string, .string): newStrings.append(value.stringValue)
    case (.int64, .int64): newIntegers.append(value.int64Value)
    default:
      throw RuntimeError(
        .invalidInput,
        "the label '\(label)' is of type \(value.type), expected \(labels.scalar == .string ? "string" : "int64")")
    }
  }

  /// Examples with values that are not finite are rejected one by one.
  func checkFinite() {}

  /// The samples are combined only when the model is requested. Combining them at each step would take quadratic time.
  func currentLater() throws -> () throws -> ImportedModel {
    let (model, classifier, samples, labels) = (model, classifier, samples, labels)
    let (newSamples, newStrings, newIntegers) = (newSamples, newStrings, newIntegers)
    return { try Self.joined(model, classifier, (samples, labels), newSamples, newStrings, newIntegers) }
  }

  func current() throws -> ImportedModel { try currentLater()() }

  private static func joined(
    _ model: ImportedModel, _ classifier: Classifier, _ known: (samples: Tensor, labels: Tensor),
    _ newSamples: [[Float]], _ newStrings: [String], _ newIntegers: [Int64]
  ) throws -> ImportedModel {
    guard !newSamples.isEmpty, var function = model.program.functions[classifier.function] else { return model }
    var model = model
    let count = known.samples.shape[0] + newSamples.count
    let samples = Tensor(
      float32: try known.samples.floats() + newSamples.flatMap { $0 }, shape: [count, known.samples.shape[1]])
    let labels =
      known.labels.scalar == .string
      ? Tensor(strings: try known.labels.strings() + newStrings, shape: [count])
      : Tensor(int64: try known.labels.ints().map(Int64.init) + newIntegers, shape: [count])
    function.body.operations[classifier.index].inputs["samples"] = [.tensor(samples)]
    function.body.operations[classifier.index].inputs["labels"] = [.tensor(labels)]
    // Runs even if the training was cancelled, because the result so far is still returned.
    model.program.functions[classifier.function] = try Cancellation().during { try function.after(RemoveDeadCode()) }
    return model
  }
}
