import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation
import MIL

/// The input and output features of a custom model.
struct CustomModelFeatures {
  let description: MLModelDescription
  /// The features in the order of the model's description.
  let inputs: [MLFeatureDescription]
  let outputs: [MLFeatureDescription]
  private let interface: ModelInterface
  private let blueFirst: Set<String>
  private let types: [String: ValueType]
  /// The name of the model in error messages.
  private let model: String

  /// - Parameter message: the serialized `ModelDescription` of the specification.
  init(_ message: Bytes, _ model: String) throws {
    interface = ModelInterface(description: message, specificationVersion: 0, modelType: "customModel")
    let reader = try DescriptionReader(interface)
    let description = try reader.description(function: "main")
    let features = Specification.ModelDescription(Message(message))
    inputs = try features.input.compactMap { description.inputDescriptionsByName[try $0.name] }
    outputs = try features.output.compactMap { description.outputDescriptionsByName[try $0.name] }
    types = Dictionary(
      try features.input.map { (try $0.name, try FeatureTypes.type(of: $0)) }, uniquingKeysWith: { first, _ in first })
    blueFirst = try reader.blueFirst()
    self.description = description
    self.model = model
  }

  // MARK: values of a program

  /// Converts a program's value to the feature value that the model expects.
  func feature(_ value: Value, _ feature: MLFeatureDescription) throws -> MLFeatureValue {
    try OutputBinding(description: feature, interface: interface, isBGR: blueFirst.contains(feature.name))
      .feature(value)
  }

  /// Converts an output of the model to the program's value.
  func value(_ result: any MLFeatureProvider, _ feature: MLFeatureDescription, _ type: ValueType) throws -> Value {
    let given = try output(result, feature)
    do {
      return try InputBinding(
        description: feature, type: type, interface: interface, isBGR: blueFirst.contains(feature.name)
      ).value(given)
    } catch let error as RuntimeError {
      throw RuntimeError(.customModel, "\(model) gave an output that cannot be used: \(error.message)", cause: error)
    }
  }

  // MARK: features

  /// The checked input: every required feature is present and has its declared type. Numbers are converted to the
  /// declared type where possible.
  func accepted(_ input: any MLFeatureProvider) throws -> any MLFeatureProvider {
    var features: [String: Any] = [:]
    for declared in inputs {
      guard let given = input.featureValue(for: declared.name), !given.isUndefined else {
        guard declared.isOptional else { throw RuntimeError(.invalidInput, "input '\(declared.name)' is missing") }
        continue
      }
      if declared.allows(given, converting: true) {
        features[declared.name] = given
      } else if let type = types[declared.name] {
        let binding = InputBinding(
          description: declared, type: type, interface: interface, isBGR: blueFirst.contains(declared.name))
        features[declared.name] = try feature(binding.value(given), declared)
      }
    }
    return try MLDictionaryFeatureProvider(dictionary: features)
  }

  /// Returns the outputs that the description names. Throws if one is missing or does not match its description.
  func checked(_ result: any MLFeatureProvider) throws -> any MLFeatureProvider {
    try MLDictionaryFeatureProvider(
      dictionary: Dictionary(
        try outputs.map { ($0.name, try output(result, $0)) }, uniquingKeysWith: { first, _ in first }))
  }

  private func output(_ result: any MLFeatureProvider, _ feature: MLFeatureDescription) throws -> MLFeatureValue {
    guard let value = result.featureValue(for: feature.name), !value.isUndefined else {
      throw RuntimeError(.customModel, "\(model) gave no output '\(feature.name)'")
    }
    guard feature.allows(value, converting: true) else {
      let shape = value.multiArrayValue.map { " of shape \($0.shape.map(\.intValue))" } ?? ""
      throw RuntimeError(
        .customModel,
        "\(model) gave the output '\(feature.name)' as a value of type \(value.type)\(shape), which is not what is declared: \(feature.type)\(feature.multiArrayConstraint.map { " of shape \($0.shape.map(\.intValue))" } ?? "")"
      )
    }
    return value
  }
}
