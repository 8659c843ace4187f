import CoreMLRuntime
import CoreMLServingInterface
import FeatureFiles
import Foundation

/// An output of a model as a tensor of the protocol.
struct ServedOutput: Sendable {
  let description: MLFeatureDescription
  let metadata: ModelMetadata.Tensor
  /// The class labels as keys of a dictionary output, in the order of the probabilities.
  private let keys: [LabelKey]
  /// The class labels as text, for `classification`.
  private let labels: [String]

  /// A label of a classifier: text or an integer.
  enum LabelKey: Sendable {
    case text(String)
    case integer(Int64)

    var text: String {
      switch self {
      case .text(let text): text
      case .integer(let integer): "\(integer)"
      }
    }

    var key: AnyHashable {
      switch self {
      case .text(let text): AnyHashable(text)
      case .integer(let integer): AnyHashable(integer)
      }
    }
  }

  var name: String { description.name }

  init(_ description: MLFeatureDescription, _ model: MLModelDescription) {
    self.description = description
    let keys: [LabelKey] = (model.classLabels ?? []).compactMap { label in
      (label as? String).map { .text($0) } ?? (label as? NSNumber).map { .integer($0.int64Value) }
    }
    labels = keys.map(\.text)
    self.keys = description.name == model.predictedProbabilitiesName || description.type == .dictionary ? keys : []
    let told = description.type == .dictionary ? labels : []
    func tensor(_ type: TensorType, _ shape: [Int], _ parameters: [String: ParameterValue] = [:])
      -> ModelMetadata.Tensor
    {
      ModelMetadata.Tensor(name: description.name, type: type, shape: shape, labels: told, parameters: parameters)
    }
    switch description.type {
    case .multiArray:
      let constraint = description.multiArrayConstraint ?? MLMultiArrayConstraint()
      metadata = tensor(TensorType(constraint.dataType), constraint.openShape)
    case .image:
      let constraint = description.imageConstraint ?? MLImageConstraint()
      metadata = tensor(
        constraint.tensorType, constraint.openShape,
        ["content_type": .text("image"), "color_space": .text(constraint.channels == 3 ? "RGB" : "gray")])
    case .int64: metadata = tensor(.int64, [1])
    case .double: metadata = tensor(.float64, [1])
    case .string: metadata = tensor(.bytes, [1], ["content_type": .text("text")])
    case .dictionary where !keys.isEmpty: metadata = tensor(.float64, [1, keys.count])
    case .dictionary: metadata = tensor(.bytes, [1], ["content_type": .text("json")])
    case .sequence:
      let isText = description.sequenceConstraint?.valueDescription.type == .string
      metadata = tensor(isText ? .bytes : .int64, [-1])
    case .invalid, .state: metadata = tensor(.bytes, [1])
    }
  }

  /// The tensor of a value that the model returned.
  ///
  /// - Parameter backing: the memory that the prediction was asked to write, and the array over it.
  func tensor(
    _ value: MLFeatureValue, _ requested: RequestedOutput, backing: OutputBacking?
  ) throws(ServingError) -> ServingTensor {
    let tensor = try ServingError.converting { try plain(value, requested, backing) }
    guard requested.classification > 0 else { return tensor }
    return try Classification.tensor(tensor, count: requested.classification, labels: labels)
  }

  private func plain(
    _ value: MLFeatureValue, _ requested: RequestedOutput, _ backing: OutputBacking?
  ) throws -> ServingTensor {
    switch value.type {
    case .multiArray:
      guard let array = value.multiArrayValue else { break }
      let memory = if let backing, backing.array === array { backing.memory } else { try Self.copy(array) }
      return ServingTensor(
        name: name, type: TensorType(array.dataType), shape: array.shape.map(\.intValue), content: .elements(memory))
    case .image: if let image = value.imageBufferValue { return try ServedImage.tensor(image, requested) }
    case .int64: return try ServingTensor(name, .int64, shape: [1], copying: [value.int64Value])
    case .double: return try ServingTensor(name, .float64, shape: [1], copying: [value.doubleValue])
    case .string: return Self.bytes(name, [Array(value.stringValue.utf8)])
    case .dictionary: return try dictionary(value)
    case .sequence:
      guard let sequence = value.sequenceValue else { break }
      guard sequence.type == .string else {
        let integers = sequence.int64Values.map(\.int64Value)
        return try ServingTensor(name, .int64, shape: [integers.count], copying: integers)
      }
      return Self.bytes(name, sequence.stringValues.map { Array($0.utf8) })
    case .invalid, .state: break
    }
    throw ServingError(.failed, "The model returned no value for the output '\(name)'.")
  }

  private static func bytes(_ name: String, _ strings: [[UInt8]]) -> ServingTensor {
    ServingTensor(name: name, type: .bytes, shape: [strings.count], content: .byteStrings(strings))
  }

  /// Probabilities in the order of the labels. Without labels, a JSON object.
  private func dictionary(_ value: MLFeatureValue) throws -> ServingTensor {
    let values = value.dictionaryValue
    guard !keys.isEmpty else {
      var writer = FeatureJSONWriter()
      writer.value(value)
      return Self.bytes(name, [writer.bytes])
    }
    let numbers = keys.map { values[$0.key]?.doubleValue ?? 0 }
    return try ServingTensor(name, .float64, shape: [1, numbers.count], copying: numbers)
  }

  private static func copy(_ array: MLMultiArray) throws -> TensorMemory {
    let type = TensorType(array.dataType)
    let memory = try TensorMemory(byteCount: array.count * (type.byteCount ?? 1))
    guard let base = memory.bytes.baseAddress, array.count > 0 else { return memory }
    array.transfer(to: try MLMultiArray(over: memory, at: base, shape: array.shape.map(\.intValue), type))
    return memory
  }
}

/// Memory that a prediction writes an output to, so that the answer needs no copy.
struct OutputBacking {
  let memory: TensorMemory
  let array: MLMultiArray

  init(shape: [Int], _ type: TensorType) throws {
    memory = try TensorMemory(byteCount: shape.reduce(type.byteCount ?? 1, *))
    guard let base = memory.bytes.baseAddress else {
      throw ServingError(.exhausted, "There is no memory for an output.")
    }
    array = try MLMultiArray(over: memory, at: base, shape: shape, type)
  }
}
