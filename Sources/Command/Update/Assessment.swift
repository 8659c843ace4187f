import CoreML
import Foundation

/// The quality of a model on examples that are not used for training: a classifier's accuracy, or the mean squared
/// error of the outputs with targets.
struct Assessment: Encodable {
  let examples: Int
  var accuracy: Double?
  var meanSquaredError: Double?

  init(_ model: MLModel, _ held: TrainingExamples) throws {
    examples = held.count
    let targets = try Targets(model.modelDescription)
    var (right, squares, elements) = (0, 0.0, 0)
    for index in 0..<held.count {
      try Interruption.shared.check()
      let example = try held.example(index)
      let prediction = try model.prediction(from: example)
      switch targets {
      case .label(let label, let predicted):
        guard let expected = example.featureValue(for: label), let found = prediction.featureValue(for: predicted)
        else {
          throw Failure(.data, "a held-back example has no label '\(label)'")
        }
        if found.isEqual(to: expected) { right += 1 }
      case .arrays(let outputs):
        for (target, output) in outputs {
          let expected = try Self.numbers(example.featureValue(for: target), target)
          let found = try Self.numbers(prediction.featureValue(for: output), output)
          guard expected.count == found.count else {
            throw Failure(.data, "'\(target)' has \(expected.count) elements, the output '\(output)' \(found.count)")
          }
          squares += zip(expected, found).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
          elements += expected.count
        }
      }
    }
    switch targets {
    case .label: accuracy = held.count > 0 ? Double(right) / Double(held.count) : nil
    case .arrays: meanSquaredError = elements > 0 ? squares / Double(elements) : nil
    }
  }

  private static func numbers(_ value: MLFeatureValue?, _ name: String) throws -> [Double] {
    if let array = value?.multiArrayValue { return (0..<array.count).map { array[$0].doubleValue } }
    guard let value, value.type == .double || value.type == .int64 else {
      throw Failure(.data, "a held-back example has no numbers '\(name)'")
    }
    return [value.type == .double ? value.doubleValue : Double(value.int64Value)]
  }

  /// The targets that predictions are compared with.
  private enum Targets {
    case label(String, predicted: String)
    /// Training inputs named `<output>_true`, the convention of coremltools.
    case arrays([(target: String, output: String)])

    init(_ description: MLModelDescription) throws {
      let inputs = description.inputDescriptionsByName
      let targets = description.trainingInputDescriptionsByName.values.filter { inputs[$0.name] == nil }
      let outputs = description.outputDescriptionsByName
      if let label = targets.first(where: { $0.type == .string || $0.type == .int64 }),
        let predicted = description.predictedFeatureName
      {
        self = .label(label.name, predicted: predicted)
        return
      }
      let pairs = targets.map(\.name).sorted().compactMap { name -> (target: String, output: String)? in
        let output = name.hasSuffix("_true") ? String(name.dropLast(5)) : name
        return outputs[output] == nil ? nil : (name, output)
      }
      guard !pairs.isEmpty else {
        throw Failure(
          .data, "--eval: none of the training inputs is a label, or has the name of an output with the suffix '_true'")
      }
      self = .arrays(pairs)
    }
  }
}
