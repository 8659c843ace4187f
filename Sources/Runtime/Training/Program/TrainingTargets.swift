import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation
import MIL

/// Reads the target of an example from its features, in the form that the loss expects.
struct TrainingTargets {
  private let kind: LossKind
  /// The feature that contains the target.
  private let feature: String
  /// The class index of each label; nil if targets are class indices or numbers.
  private let classes: Classes?

  private enum Classes {
    case strings([ExactText: Int])
    case integers([Int64: Int])
  }

  /// A classifier uses its label if the loss's own target is not a training input.
  init(_ graph: TrainingGraph, _ function: Function, _ description: MLModelDescription) throws {
    kind = graph.kind
    let inputs = description.trainingInputDescriptionsByName
    let label = description.predictedFeatureName
    if let label, kind == .categoricalCrossEntropy, inputs[label] != nil || inputs[graph.target] == nil {
      feature = label
      classes = try Self.classes(function, label)
      return
    }
    feature = graph.target
    classes = nil
  }

  private static func classes(_ function: Function, _ feature: String) throws -> Classes {
    let labels = function.classLabels(of: feature) ?? []
    if let strings = labels as? [String] {
      return .strings(Dictionary(zip(strings.map(ExactText.init), 0...), uniquingKeysWith: { first, _ in first }))
    }
    if let integers = labels as? [Int64], !integers.isEmpty {
      return .integers(Dictionary(zip(integers, 0...), uniquingKeysWith: { first, _ in first }))
    }
    throw RuntimeError(.invalidModel, "the model is trained with labels, and its classes are not known")
  }

  /// The target of an example: a class index, or numbers. Besides the prefix values, only the target of an example is
  /// kept.
  func target(of example: any MLFeatureProvider) throws -> Tensor {
    guard let value = example.featureValue(for: feature), !value.isUndefined else {
      throw RuntimeError(.invalidInput, "the training input '\(feature)' is missing")
    }
    switch kind {
    case .categoricalCrossEntropy:
      let number = try classes.map { try index(of: value, $0) } ?? number(value)
      guard number >= 0 else {
        throw RuntimeError(.invalidInput, "the training input '\(feature)' is the class \(number), expected 0 or more")
      }
      return Tensor(int32: [number], shape: [1])
    case .meanSquaredError:
      switch value.type {
      case .multiArray:
        guard let array = value.multiArrayValue else { fallthrough }
        return try array.tensor(as: .float32)
      case .double: return Tensor(float32: [Float(value.doubleValue)], shape: [1])
      case .int64: return Tensor(float32: [Float(value.int64Value)], shape: [1])
      default: throw wrong(value, "an array of numbers")
      }
    }
  }

  /// Validates a target for a loss whose input has `elements` elements per example.
  func checked(_ target: Tensor, elements: Int) throws -> Tensor {
    switch kind {
    case .categoricalCrossEntropy:
      let number = try target.ints().first ?? -1
      guard number >= 0, number < elements else {
        throw RuntimeError(
          .invalidInput, "the training input '\(feature)' is the class \(number), expected one of 0 to \(elements - 1)")
      }
    case .meanSquaredError:
      guard target.count == elements else {
        throw RuntimeError(
          .invalidInput,
          "the training input '\(feature)' has the shape \(target.shape), expected \(elements) elements as the output has"
        )
      }
    }
    return target
  }

  private func wrong(_ value: MLFeatureValue, _ expected: String) -> RuntimeError {
    RuntimeError(.invalidInput, "the training input '\(feature)' is of type \(value.type), expected \(expected)")
  }

  private func index(of value: MLFeatureValue, _ classes: Classes) throws -> Int {
    switch (classes, value.type) {
    case (.strings(let numbers), .string):
      if let number = numbers[ExactText(value.stringValue)] { return number }
      throw unknown("'\(value.stringValue)'", numbers.keys.sorted().map { "'\($0)'" })
    case (.integers(let numbers), .int64):
      if let number = numbers[value.int64Value] { return number }
      throw unknown("\(value.int64Value)", numbers.keys.sorted().map(String.init))
    case (.strings, _): throw wrong(value, "a string")
    case (.integers, _): throw wrong(value, "an integer")
    }
  }

  private func unknown(_ label: String, _ known: [String]) -> RuntimeError {
    let more = known.count > 12 ? ", .." : ""
    return RuntimeError(
      .invalidInput,
      "the label '\(feature)' is \(label), which the model does not know; it knows "
        + known.prefix(12).joined(separator: ", ") + more)
  }

  /// A class index, as an integer or an array with one element.
  private func number(_ value: MLFeatureValue) throws -> Int {
    switch value.type {
    case .int64: return Int(value.int64Value)
    case .multiArray:
      guard let array = value.multiArrayValue, array.count == 1 else { throw wrong(value, "one class number") }
      let number = try array.tensor(as: .float64).doubles()[0]
      guard let exact = Int(exactly: number) else {
        throw RuntimeError(.invalidInput, "the training input '\(feature)' is \(number), expected a class number")
      }
      return exact
    default: throw wrong(value, "one class number")
    }
  }
}
