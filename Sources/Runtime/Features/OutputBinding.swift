import CoreMLBase
import CoreMLImages
import CoreMLImport
import Foundation
import MIL

/// Converts an output of a function to an output feature of the declared type.
struct OutputBinding {
  let description: MLFeatureDescription
  let interface: ModelInterface
  let isBGR: Bool
  /// The declared shape of an array feature; empty if none is declared.
  private let declared: [Int]

  private var name: String { description.name }

  /// Whether the sizes of the output may vary between predictions. The declared shape is then only an example.
  private let isFlexible: Bool

  init(description: MLFeatureDescription, interface: ModelInterface, isBGR: Bool = false, isFlexible: Bool = false) {
    (self.description, self.interface, self.isBGR, self.isFlexible) = (description, interface, isBGR, isFlexible)
    declared = description.multiArrayConstraint?.shape.map(\.intValue) ?? []
  }

  /// Throws if an object cannot be the backing of the output, because it has another type or an undeclared shape.
  /// Called before the computation starts. The element type of an array may differ; elements are then converted.
  func require(_ backing: Any) throws {
    if let array = backing as? MLMultiArray, let constraint = description.multiArrayConstraint {
      let (shape, declared) = (array.layout.shape, constraint.shape.map(\.intValue))
      // NeuralNetwork-format models may declare fewer axes than their output has.
      guard interface.modelType != "mlProgram" || constraint.shapeConstraint.allows(shape, declared: declared) else {
        throw Self.refusedBacking(
          "the backing of output '\(name)' \(constraint.shapeConstraint.refusal(of: shape, declared: declared))"
        )
      }
      return
    }
    guard backing is PixelBuffer && description.type == .image else {
      throw Self.refusedBacking(
        "the backing of output '\(name)' is a \(Swift.type(of: backing)), which cannot hold a value of type \(description.type)"
      )
    }
  }

  /// The error for a refused backing. The message must not start with Core ML's phrase for invalid inputs, because a
  /// backing is not an input.
  static func refusedBacking(_ sentence: String) -> MLModelError {
    MLModelError(.featureType, sentence, underlyingCode: RuntimeError.Code.invalidInput.rawValue)
  }

  /// Creates the output feature, written to `backing` unless that is nil. The backing must match the output.
  func feature(_ value: Value, backing: Any? = nil) throws -> MLFeatureValue {
    switch description.type {
    case .multiArray: return try array(tensor(value), backing as? MLMultiArray)
    case .image:
      let format = description.imageConstraint?.pixelFormatType ?? kCVPixelFormatType_32BGRA
      let type = TensorType(.float32, try tensor(value).shape)
      return MLFeatureValue(
        pixelBuffer: try ImageTensor(name: name, type: type, isBGR: isBGR).image(
          tensor(value), format: format, backing: backing as? PixelBuffer))
    case .string:
      guard let text = try tensor(value).strings().first else { throw mismatch(value) }
      return MLFeatureValue(string: text)
    case .int64:
      let tensor = try tensor(value)
      guard tensor.count == 1, let number = try tensor.ints().first else { throw mismatch(value) }
      return MLFeatureValue(int64: Int64(number))
    case .double:
      let tensor = try tensor(value)
      guard tensor.count == 1, let number = try tensor.doubles().first else { throw mismatch(value) }
      return MLFeatureValue(double: number)
    case .dictionary: return try dictionary(value)
    case .sequence:
      let tensor = try tensor(value)
      if tensor.scalar == .string { return MLFeatureValue(sequence: MLSequence(strings: try tensor.strings())) }
      return MLFeatureValue(sequence: MLSequence(int64s: try tensor.ints().map { NSNumber(value: $0) }))
    default: throw mismatch(value)
    }
  }

  private func mismatch(_ value: Value) -> RuntimeError {
    RuntimeError(.evaluation, "output '\(name)' is declared \(description.type) and came out as \(value.type)")
  }

  private func tensor(_ value: Value) throws -> Tensor {
    guard let tensor = value.tensor else { throw mismatch(value) }
    return tensor
  }

  private func array(_ tensor: Tensor, _ backing: MLMultiArray?) throws -> MLFeatureValue {
    let shaped = try tensor.reshaped(outputShape(tensor.shape))
    if let backing {
      guard backing.layout.shape == shaped.shape else {
        throw Self.refusedBacking(
          "the backing of output '\(name)' has the shape \(backing.shape), the output \(shaped.shape)")
      }
      try backing.write(shaped)
      return MLFeatureValue(multiArray: backing)
    }
    let declared = description.multiArrayConstraint?.dataType
    guard let type = declared ?? MLMultiArrayDataType(shaped.scalar) else { throw mismatch(.tensor(tensor)) }
    return MLFeatureValue(multiArray: try MLMultiArray(shaped, as: type))
  }

  /// The array into which the engine can write an output directly: the backing if it has the output's layout, or a new
  /// array if there is no backing. Nil if the output must be converted afterwards.
  func array(for type: TensorType, backing: Any?) throws -> MLMultiArray? {
    guard description.type == .multiArray, let shape = type.concreteShape else { return nil }
    let own = outputShape(shape)
    if let backing {
      guard let array = backing as? MLMultiArray, array.dataType.scalar == type.scalar, array.isDense,
        array.layout.shape == own
      else { return nil }
      return array
    }
    guard let declared = description.multiArrayConstraint?.dataType ?? MLMultiArrayDataType(type.scalar),
      declared.scalar == type.scalar
    else { return nil }
    return try MLMultiArray(sizes: own, declared, isWritten: true)
  }

  /// The shape of an output as callers see it. It is the declared shape if that differs from the computed shape only by
  /// axes of size 1.
  func outputShape(_ shape: [Int]) -> [Int] {
    let shape = withoutMapping(shape)
    guard shape != declared, let constraint = description.multiArrayConstraint else { return shape }
    // With flexible sizes, an axis of size 1 may be an actual size, so the shape stays unchanged.
    if isFlexible, shape.count == declared.count { return shape }
    return constraint.shapeConstraint.arranged(shape, declared: declared)
  }

  /// Undoes the rank-5 mapping (Seq, Batch, C, H, W) of an output with Seq = Batch = 1: returns (C, H, W), or (C) if a
  /// vector is declared and H = W = 1. The shape of a scalar becomes [1].
  private func withoutMapping(_ shape: [Int]) -> [Int] {
    if shape.isEmpty { return [1] }
    guard interface.modelType != "mlProgram", interface.arrayMapping == .rank5, shape.count == 5, shape[0] == 1,
      shape[1] == 1
    else { return shape }
    if shape[3] == 1, shape[4] == 1, declared.count <= 1 { return [shape[2]] }
    return Array(shape[2...])
  }

  private func dictionary(_ value: Value) throws -> MLFeatureValue {
    guard case .dictionary(let pairs, _, _) = value else { throw mismatch(value) }
    var result: [AnyHashable: NSNumber] = [:]
    for pair in pairs {
      guard let key = pair.key.tensor, let number = try pair.value.tensor?.doubles().first else {
        throw mismatch(value)
      }
      if key.scalar == .string {
        result[AnyHashable(try key.strings().first ?? "")] = NSNumber(value: number)
      } else {
        result[AnyHashable(Int64(try key.ints().first ?? 0))] = NSNumber(value: number)
      }
    }
    return try MLFeatureValue(dictionary: result)
  }
}
