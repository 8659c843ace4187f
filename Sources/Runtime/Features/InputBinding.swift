import CoreMLImages
import Foundation
import MIL

/// Turns an input feature into the tensor that a function takes.
struct InputBinding {
  let description: MLFeatureDescription
  /// The function's declared type; unknown sizes are filled from the value.
  let type: TensorType
  let interface: ModelInterface
  /// The image's first channel is blue.
  var isBGR = false

  private var name: String { description.name }

  func tensor(_ value: MLFeatureValue) throws -> Tensor {
    switch value.type {
    case .multiArray:
      guard let array = value.multiArrayValue else { break }
      return try tensor(array)
    case .image:
      guard let image = value.imageBufferValue else { break }
      return try ImageTensor(name: name, type: type, isBGR: isBGR).tensor(image)
    case .int64:
      return try scalar(Double(value.int64Value))
    case .double:
      return try scalar(value.doubleValue)
    default: break
    }
    throw RuntimeError(
      .invalidInput, "input '\(name)' is of type \(value.type), expected \(description.type)")
  }

  /// The value of an optional input that is not given: its declared default, zero without one.
  func missing() throws -> Tensor {
    let shape = description.multiArrayConstraint?.shape.map(\.intValue) ?? []
    let declared = type.concreteShape ?? (try? mapped(shape)) ?? shape
    guard let count = TensorType.elementCount(declared) else {
      throw RuntimeError(.invalidInput, "input '\(name)' is missing and has no default shape")
    }
    let fill = description.multiArrayConstraint?.defaultValue ?? 0
    return try Tensor(type.scalar, shape: declared, doubles: Array(repeating: fill, count: count))
  }

  private func scalar(_ value: Double) throws -> Tensor {
    guard let shape = TensorType(type.scalar, type.shape.map { $0.isKnown ? $0 : 1 }).concreteShape,
      TensorType.elementCount(shape) == 1
    else { throw RuntimeError(.invalidInput, "input '\(name)' is one number, expected \(type)") }
    return try Tensor(type.scalar, shape: shape, doubles: [value])
  }

  private func tensor(_ array: MLMultiArray) throws -> Tensor {
    let shape = array.shape.map(\.intValue)
    guard description.isAllowedValue(MLFeatureValue(multiArray: array)) || isLegacySequence(shape) else {
      throw RuntimeError(
        .invalidInput,
        "input '\(name)' has the shape \(shape), expected \(description.multiArrayConstraint?.shape.map(\.intValue) ?? [])"
      )
    }
    let target = try mapped(shape)
    guard type.rank == target.count, zip(type.shape, target).allSatisfy({ $0.agrees(with: MIL.Dimension($1)) }) else {
      throw RuntimeError(.invalidInput, "input '\(name)' has the shape \(shape), the model takes \(type)")
    }
    return try array.tensor(as: type.scalar).reshaped(target)
  }

  /// The legacy mapping takes (Seq, Batch, C, H, W) arrays where (C) or (C, H, W) is declared.
  private func isLegacySequence(_ shape: [Int]) -> Bool { interface.arrayMapping == .rank5 && shape.count == 5 }

  /// The shape of the tensor for an array's shape.
  private func mapped(_ shape: [Int]) throws -> [Int] {
    guard interface.arrayMapping == .rank5, interface.modelType != "mlProgram", type.rank == 5 else {
      return shape.isEmpty && type.rank == 1 ? [1] : shape
    }
    switch shape.count {
    case 1: return [1, 1, shape[0], 1, 1]
    case 3: return [1, 1] + shape
    case 5: return shape
    default:
      throw RuntimeError(.invalidInput, "input '\(name)' has rank \(shape.count), the model takes rank 1, 3 or 5")
    }
  }
}
