import CoreMLBase
import CoreMLImages
import CoreMLImport
import Foundation
import MIL

/// Converts an input feature to the value of a function's parameter.
struct InputBinding {
  let description: MLFeatureDescription
  /// The function's declared type. Unknown sizes are taken from the value.
  let type: ValueType
  let interface: ModelInterface
  /// Whether the first channel of an image is blue.
  var isBGR = false
  /// Whether the value is consumed before the caller can change the feature; then arrays are not copied.
  var borrows = false
  /// Whether the model substitutes its own default value for NaN.
  var isDefaulted = false

  private var name: String { description.name }

  func value(_ feature: MLFeatureValue) throws -> Value {
    switch (feature.type, type) {
    case (.multiArray, .tensor(let type)) where description.type == .multiArray:
      guard let array = feature.multiArrayValue else { break }
      return .tensor(try tensor(array, type))
    case (.image, .tensor(let type)) where description.type == .image:
      guard let image = feature.imageBufferValue else { break }
      try requireAllowed(image)
      return .tensor(try ImageTensor(name: name, type: type, isBGR: isBGR).tensor(image))
    case (.int64, .tensor(let type)) where type.scalar == .int64 && type.rank == 0:
      return .tensor(Tensor(int64: [feature.int64Value], shape: []))
    case (.int64, .tensor(let type)) where type.scalar != .string && description.type != .image:
      return .tensor(try scalar(Double(feature.int64Value), type))
    case (.double, .tensor(let type)) where type.scalar.isFloat || Int64(exactly: feature.doubleValue) != nil:
      guard type.scalar != .string, description.type != .image else { break }
      return .tensor(try scalar(feature.doubleValue, type))
    case (.string, .tensor(let type)) where type.scalar == .string && type.rank == 0:
      return .string(feature.stringValue)
    case (.sequence, .tensor(let type)) where type.rank == 1:
      guard let sequence = feature.sequenceValue else { break }
      return .tensor(try tensor(sequence, type))
    case (.dictionary, .dictionary(let key, let value)):
      return try dictionary(feature.dictionaryValue, key, value)
    default: break
    }
    throw RuntimeError(
      .invalidInput, "input '\(name)' is of type \(feature.type), expected \(description.type)")
  }

  /// The value of an optional input that is missing. For an array it is the declared default, or zeros without one. For
  /// a double, or an input with a default in the model, it is NaN. Otherwise it is zero or empty.
  ///
  /// - Parameter batch: the batch size of the other inputs; the states of a recurrent network have the same.
  func missing(batch: Int = 1) throws -> Value {
    if case .dictionary(let key, let value) = type { return .dictionary([], key: key, value: value) }
    guard let type = type.tensor else {
      throw RuntimeError(.invalidInput, "input '\(name)' of type \(self.type) is missing")
    }
    let shape = description.multiArrayConstraint?.shape.map(\.intValue) ?? []
    var declared: [Int]
    if let image = description.imageConstraint, type.rank >= 3 {
      let lead = type.shape.dropLast(2).map { $0.value ?? 1 }
      declared = type.concreteShape ?? (lead + [image.pixelsHigh, image.pixelsWide])
    } else if description.type == .sequence {
      declared = [0]
    } else {
      declared = type.concreteShape ?? (try? mapped(shape, type)) ?? shape
    }
    if batch > 1, interface.arrayMapping == .rank5, declared.count == 5, declared[1] == 1, type.rank == 5,
      !type.shape[1].isKnown
    {
      declared[1] = batch
    }
    guard let count = TensorType.elementCount(declared), count <= FeatureShapes.maximumDefaultCount else {
      throw RuntimeError(
        .invalidInput, "input '\(name)' is missing, and \(declared) is no shape of which a default value can be made")
    }
    if type.scalar == .string {
      return .tensor(Tensor(strings: Array(repeating: "", count: count), shape: declared))
    }
    let fill = declaredDefault ?? (description.type == .double || isDefaulted ? .nan : 0)
    return .tensor(try Tensor(type.scalar, shape: declared, doubles: Array(repeating: fill, count: count)))
  }

  /// The default of an array. Networks compute int32 arrays in fp32, but their default is still an integer.
  private var declaredDefault: Double? {
    guard let constraint = description.multiArrayConstraint, let value = constraint.defaultValue else { return nil }
    guard constraint.dataType == .int32 else { return value }
    return value.isNaN ? 0 : min(max(value.rounded(.towardZero), Double(Int32.min)), Double(Int32.max))
  }

  private func elements(of array: MLMultiArray, _ type: TensorType) throws -> Tensor {
    try borrows ? array.borrowed(as: type.scalar) : array.tensor(as: type.scalar)
  }

  private func scalar(_ value: Double, _ type: TensorType) throws -> Tensor {
    guard let shape = TensorType(type.scalar, type.shape.map { $0.isKnown ? $0 : 1 }).concreteShape,
      TensorType.elementCount(shape) == 1
    else { throw RuntimeError(.invalidInput, "input '\(name)' is one number, expected \(type)") }
    return try Tensor(type.scalar, shape: shape, doubles: [value])
  }

  /// A flexible image size must be one of the declared sizes. The program itself checks a fixed size.
  private func requireAllowed(_ image: PixelBuffer) throws {
    guard let constraint = description.imageConstraint, constraint.sizeConstraint.type != .unspecified,
      !constraint.allows(wide: image.width, high: image.height)
    else { return }
    throw RuntimeError(
      .invalidInput,
      "input '\(name)' is an image of \(image.width) x \(image.height) pixels, which is no size that the model allows")
  }

  private func tensor(_ sequence: MLSequence, _ type: TensorType) throws -> Tensor {
    if let constraint = description.sequenceConstraint, constraint.valueDescription.type == sequence.type,
      !constraint.allows(sequence)
    {
      throw RuntimeError(
        .invalidInput,
        "input '\(name)' is a sequence of \(sequence.count) values, expected \(constraint.countRange.location) to "
          + "\(constraint.countRange.upperBound == .max ? "any number" : "\(constraint.countRange.upperBound)")")
    }
    switch (sequence.type, type.scalar) {
    case (.string, .string):
      return Tensor(strings: sequence.stringValues, shape: [sequence.stringValues.count])
    case (.int64, .int64):
      return Tensor(int64: sequence.int64Values.map(\.int64Value), shape: [sequence.int64Values.count])
    default:
      throw RuntimeError(
        .invalidInput, "input '\(name)' is a sequence of \(sequence.type), expected \(type.scalar.rawValue)")
    }
  }

  private func integer(_ key: AnyHashable) -> Int64? {
    (key.base as? Int64) ?? (key.base as? Int).map(Int64.init) ?? (key.base as? NSNumber)?.int64Value
  }

  /// The entries sorted by key, so that equal dictionaries give bit-identical results. If string keys are declared, an
  /// integer key is converted to its decimal digits.
  private func dictionary(_ entries: [AnyHashable: NSNumber], _ key: ValueType, _ value: ValueType) throws -> Value {
    func wrong(_ found: Any) -> RuntimeError {
      RuntimeError(.invalidInput, "input '\(name)' has the key \(found), expected keys of type \(key)")
    }
    func pair(_ key: Value, _ number: NSNumber) -> (key: Value, value: Value) {
      (key, .tensor(Tensor(float64: [number.doubleValue], shape: [])))
    }
    if key.tensor?.scalar == .string {
      let pairs = try entries.map { entry in
        guard let text = (entry.key.base as? String) ?? integer(entry.key).map(String.init) else {
          throw wrong(entry.key)
        }
        return (text, entry.value)
      }
      return .dictionary(
        pairs.sorted { $0.0 < $1.0 }.map { pair(.string($0.0), $0.1) }, key: key, value: value)
    }
    let pairs = try entries.map { entry in
      guard let number = integer(entry.key) else { throw wrong(entry.key) }
      return (number, entry.value)
    }
    return .dictionary(
      pairs.sorted { $0.0 < $1.0 }.map { pair(.tensor(Tensor(int64: [$0.0], shape: [])), $0.1) }, key: key,
      value: value)
  }

  private func tensor(_ array: MLMultiArray, _ type: TensorType) throws -> Tensor {
    let shape = sequenceOfVectors(array.layout.shape) ?? array.layout.shape
    if let declared = withoutLeadingOnes(shape, type) { return try elements(of: array, type).reshaped(declared) }
    guard isAllowed(shape) || isLegacySequence(shape) else {
      let declared = description.multiArrayConstraint
      let reason = declared?.shapeConstraint.refusal(of: shape, declared: declared?.shape.map(\.intValue) ?? [])
      throw RuntimeError(.invalidInput, "input '\(name)' \(reason ?? "has the shape \(shape), which it does not take")")
    }
    let target = try mapped(shape, type)
    guard type.rank == target.count, zip(type.shape, target).allSatisfy({ $0.agrees(with: MIL.Dimension($1)) }) else {
      throw RuntimeError(.invalidInput, "input '\(name)' has the shape \(shape), the model takes \(type)")
    }
    return try elements(of: array, type).reshaped(target)
  }

  private func isAllowed(_ shape: [Int]) -> Bool {
    guard let constraint = description.multiArrayConstraint else { return true }
    return constraint.shapeConstraint.allows(shape, declared: constraint.shape.map(\.intValue))
  }

  /// The legacy mapping accepts (Seq, Batch, C, H, W) arrays where (C) or (C, H, W) is declared.
  private func isLegacySequence(_ shape: [Int]) -> Bool { interface.arrayMapping == .rank5 && shape.count == 5 }

  /// Expands (Seq, Batch, C) to five axes where the legacy mapping declares (C). Recurrent networks of iOS 11 and 12
  /// get their sequences this way.
  private func sequenceOfVectors(_ shape: [Int]) -> [Int]? {
    guard interface.isNetwork, interface.arrayMapping == .rank5, shape.count == 3,
      description.multiArrayConstraint?.shape.count == 1
    else { return nil }
    return shape + [1, 1]
  }

  /// Models other than networks accept an array with additional leading axes of size 1, for example a row of a table.
  private func withoutLeadingOnes(_ shape: [Int], _ type: TensorType) -> [Int]? {
    guard !interface.isNetwork, let declared = type.concreteShape, shape.count > declared.count,
      shape == Array(repeating: 1, count: shape.count - declared.count) + declared
    else { return nil }
    return declared
  }

  /// Maps the shape of an array to the shape of the tensor.
  private func mapped(_ shape: [Int], _ type: TensorType) throws -> [Int] {
    guard let mapped = interface.mapped(shape, rank: type.rank) else {
      throw RuntimeError(.invalidInput, "input '\(name)' has rank \(shape.count), the model takes rank 1, 3 or 5")
    }
    return mapped
  }
}
