import CoreMLBase
import CoreMLImages
import CoreMLImport
import Foundation
import MIL

/// Converts an input feature to the value of a function's parameter.
struct InputBinding {
  let description: MLFeatureDescription
  /// The function's declared type. The value defines the sizes that the type leaves open.
  let type: ValueType
  let interface: ModelInterface
  /// Whether the first channel of an image is blue.
  var isBGR = false
  /// Whether a tensor may borrow the memory of a multi-array instead of copying it. The caller must not be able to
  /// change the array while the tensor is in use.
  var borrows = false
  /// Whether the model has its own default for this input, which it computes with wherever it gets NaN.
  var isDefaulted = false

  private var name: String { description.name }

  /// Converts a feature.
  ///
  /// - Throws: `RuntimeError` `invalidInput` if the feature does not match the description.
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

  /// The value for an input that the caller omitted. The first rule that applies defines it:
  /// - dictionary or sequence: empty
  /// - strings: empty strings
  /// - array with a declared default: an array filled with the default
  /// - double, or an input for which `isDefaulted` is true: NaN
  /// - any other array, image or number: zeros
  ///
  /// - Parameter batch: the batch size of the other inputs. Omitted states of a recurrent network get this batch size.
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

  /// The declared default of a multi-array; nil without one. The default of an int32 array is truncated to an int32,
  /// and NaN becomes 0. This holds even where the model computes the array in fp32, as NeuralNetwork-format models do.
  private var declaredDefault: Double? {
    guard let constraint = description.multiArrayConstraint, let value = constraint.defaultValue else { return nil }
    guard constraint.dataType == .int32 else { return value }
    return value.isNaN ? 0 : min(max(value.rounded(.towardZero), Double(Int32.min)), Double(Int32.max))
  }

  /// The elements of an array, converted to the type's scalar; borrowed if `borrows` is true.
  private func elements(of array: MLMultiArray, _ type: TensorType) throws -> Tensor {
    try borrows ? array.borrowed(as: type.scalar) : array.tensor(as: type.scalar)
  }

  /// A tensor of one element. Unknown sizes of the type are 1.
  private func scalar(_ value: Double, _ type: TensorType) throws -> Tensor {
    guard let shape = TensorType(type.scalar, type.shape.map { $0.isKnown ? $0 : 1 }).concreteShape,
      TensorType.elementCount(shape) == 1
    else { throw RuntimeError(.invalidInput, "input '\(name)' is one number, expected \(type)") }
    return try Tensor(type.scalar, shape: shape, doubles: [value])
  }

  /// Throws if the image does not have one of the declared sizes. Does nothing for an image input of fixed size,
  /// because the conversion to a tensor checks that.
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

  /// Converts a dictionary. The entries are sorted by key, so that equal dictionaries give bit-identical results. Where
  /// string keys are declared, integer keys are converted to decimal digits.
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

  /// Whether an array has the five axes (Seq, Batch, C, H, W). The rank-5 mapping of NeuralNetwork-format models
  /// accepts them where the description declares (C) or (C, H, W).
  private func isLegacySequence(_ shape: [Int]) -> Bool { interface.arrayMapping == .rank5 && shape.count == 5 }

  /// Returns (Seq, Batch, C, 1, 1) for an array of shape (Seq, Batch, C), if the model uses the rank-5 mapping and
  /// declares (C). Nil otherwise. Recurrent NeuralNetwork-format models of iOS 11 and 12 take their sequences in this
  /// form.
  private func sequenceOfVectors(_ shape: [Int]) -> [Int]? {
    guard interface.isNetwork, interface.arrayMapping == .rank5, shape.count == 3,
      description.multiArrayConstraint?.shape.count == 1
    else { return nil }
    return shape + [1, 1]
  }

  /// Returns the declared shape if the array has that shape with additional leading axes of size 1, as a row of a table
  /// has. Nil otherwise, and for ML programs and NeuralNetwork-format models, which do not accept such arrays.
  private func withoutLeadingOnes(_ shape: [Int], _ type: TensorType) -> [Int]? {
    guard !interface.isNetwork, let declared = type.concreteShape, shape.count > declared.count,
      shape == Array(repeating: 1, count: shape.count - declared.count) + declared
    else { return nil }
    return declared
  }

  /// Maps the shape of an array to the shape of the tensor, by the model's array mapping
  /// (`ModelInterface/arrayMapping`).
  private func mapped(_ shape: [Int], _ type: TensorType) throws -> [Int] {
    guard let mapped = interface.mapped(shape, rank: type.rank) else {
      throw RuntimeError(.invalidInput, "input '\(name)' has rank \(shape.count), the model takes rank 1, 3 or 5")
    }
    return mapped
  }
}
