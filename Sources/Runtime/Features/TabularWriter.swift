import CoreMLExecution
import Foundation
import MIL

/// Creates an output feature from a row of kernel output.
final class TabularWriter: Sendable {
  enum Kind {
    case number
    case numbers
    /// A feature value for each label.
    case label([MLFeatureValue])
    case probabilities(SharedLabels)
  }

  let feature: String
  let kind: Kind
  let binding: OutputBinding
  let type: TensorType
  private let shape: [Int]
  let count: Int
  /// The index of each of the classifier's labels among the model's labels.
  let places: [Int32]?
  /// The index of the function's output.
  let output: Int
  let byteCount: Int

  /// Returns nil for outputs that need the regular path, for example an image.
  ///
  /// - Parameter labels: the model's labels with their indices.
  init?(_ output: TabularOutput, _ type: TensorType, _ binding: OutputBinding?, _ labels: [AnyHashable: Int32]) {
    guard let binding, let shape = type.concreteShape, let count = type.elementCount, let bytes = type.byteCount else {
      return nil
    }
    (feature, self.binding, self.type, self.shape, self.count) = (output.feature, binding, type, shape, count)
    (self.output, byteCount) = (output.output, bytes)
    places = Self.places(output.kind, labels)
    switch (output.kind, binding.description.type) {
    case (.numbers, .double) where count == 1 && type.scalar == .float64: kind = .number
    case (.numbers, .multiArray), (.numbers, .double), (.numbers, .int64): kind = .numbers
    case (.label(let labels), .string), (.label(let labels), .int64):
      guard labels.count == count, count > 0, Self.isReal(type), let values = Self.values(labels, binding) else {
        return nil
      }
      kind = .label(values)
    case (.shares(let labels), .dictionary):
      guard labels.count == count, count > 0, Self.isReal(type) else { return nil }
      kind = .probabilities(SharedLabels(labels))
    default: return nil
    }
  }

  /// Returns nil unless the labels are exactly the model's labels, each of them once.
  private static func places(_ kind: TabularOutput.Kind, _ places: [AnyHashable: Int32]) -> [Int32]? {
    let own: [AnyHashable]
    switch kind {
    case .numbers: return nil
    case .label(.strings(let labels)), .shares(.strings(let labels)): own = labels
    case .label(.integers(let labels)), .shares(.integers(let labels)): own = labels
    }
    let found = own.compactMap { places[$0] }
    return found.count == places.count && Set(found).count == own.count ? found : nil
  }

  private static func isReal(_ type: TensorType) -> Bool { [.float32, .float64].contains(type.scalar) }

  private static func values(_ labels: TabularLabels, _ binding: OutputBinding) -> [MLFeatureValue]? {
    switch (labels, binding.description.type) {
    case (.strings(let labels), .string): labels.map { MLFeatureValue(string: $0) }
    case (.integers(let labels), .int64): labels.map { MLFeatureValue(int64: $0) }
    default: nil
    }
  }

  /// The shape of the array feature of a row.
  var arrayShape: [Int] { binding.outputShape(shape) }

  func feature(_ source: UnsafeRawPointer, backing: Any?) throws -> MLFeatureValue {
    switch kind {
    case .number where backing == nil: return MLFeatureValue(double: source.load(as: Double.self))
    case .label(let values) where backing == nil: return values[greatest(source)]
    case .probabilities(let labels) where backing == nil:
      return MLFeatureValue(probabilities: ClassProbabilities(labels, (0..<count).map { number(source, $0) }))
    default: break
    }
    if let array = try binding.array(for: type, backing: backing) {
      array.dataPointer.copyMemory(from: source, byteCount: byteCount)
      return MLFeatureValue(multiArray: array)
    }
    let storage = TensorStorage(borrowing: source, byteCount: byteCount, owner: nil)
    return try binding.feature(.tensor(Tensor(type.scalar, shape: shape, storage: storage)), backing: backing)
  }

  func number(_ source: UnsafeRawPointer, _ index: Int) -> Double {
    type.scalar == .float64
      ? source.load(fromByteOffset: index * 8, as: Double.self)
      : Double(source.load(fromByteOffset: index * 4, as: Float.self))
  }

  /// The index of the largest number; the first one on a tie.
  func greatest(_ source: UnsafeRawPointer) -> Int {
    var (best, most) = (0, number(source, 0))
    for index in 1..<max(count, 1) {
      let number = number(source, index)
      if number > most { (best, most) = (index, number) }
    }
    return best
  }
}

/// A classifier's labels as dictionary keys, shared by all results.
final class SharedLabels: Sendable {
  let labels: TabularLabels

  init(_ labels: TabularLabels) { self.labels = labels }
}

/// The probability of each label. The dictionary is created on access.
final class ClassProbabilities: Sendable {
  private let labels: SharedLabels
  private let numbers: [Double]

  init(_ labels: SharedLabels, _ numbers: [Double]) { (self.labels, self.numbers) = (labels, numbers) }

  var dictionary: [AnyHashable: NSNumber] {
    var result: [AnyHashable: NSNumber] = [:]
    result.reserveCapacity(numbers.count)
    switch labels.labels {
    case .strings(let names): for (name, number) in zip(names, numbers) { result[name] = NSNumber(value: number) }
    case .integers(let keys): for (key, number) in zip(keys, numbers) { result[key] = NSNumber(value: number) }
    }
    return result
  }
}
