import Foundation
import MIL

/// A multi-dimensional array with lazy evaluation: operations run when their results are requested.
///
/// An operation returns a tensor with its shape and type at once and computes nothing. When `shapedArray(of:)` requests
/// the elements, all pending operations behind them become one program. The program is planned, fused and placed on
/// devices like a model. Programs are cached by their structure: a loop that repeats a computation plans it once.
///
/// Operands of different types are converted to the wider type: integers to floating point, booleans to numbers. Shapes
/// broadcast from the last axis on, as in NumPy. Negative axes count from the last one. Invalid shapes, axes and
/// indices are precondition failures, as in Core ML, because programs create tensors and files do not contain them.
// More than 400 lines over its files: Core ML has all these operations on this one type.
public struct MLTensor: Sendable {
  private let handle: TensorHandle
  /// Whether the tensor is a literal, which is converted to the other operand's type.
  let isLiteral: Bool

  init(_ value: TensorValue, isLiteral: Bool = false) {
    handle = TensorHandle(value)
    self.isLiteral = isLiteral
  }

  /// This tensor, marked as a literal.
  var literal: MLTensor { MLTensor(value, isLiteral: true) }

  var value: TensorValue { handle.value }
  var scalar: ScalarType { value.scalar }

  /// The size of each axis; empty for a single scalar.
  public var shape: [Int] { value.shape }
  /// The number of axes.
  public var rank: Int { shape.count }
  /// The number of scalars.
  public var scalarCount: Int { shape.reduce(1, *) }
  /// Whether the tensor has rank 0.
  public var isScalar: Bool { shape.isEmpty }
  /// The element type.
  public var scalarType: any MLTensorScalar.Type { TensorScalars.type(scalar) }

  /// Returns the elements, and computes them first if necessary, even if the task was cancelled. The array uses the
  /// tensor's memory.
  ///
  /// - Precondition: the elements have the given type, and the operations can run: there is enough memory, and indices
  ///   are in range.
  public func shapedArray<Scalar: MLShapedArrayScalar & MLTensorScalar>(
    of scalarType: Scalar.Type
  ) async -> MLShapedArray<Scalar> {
    precondition(
      TensorScalars.scalar(scalarType) == scalar, "the elements of a tensor are \(self.scalarType), not \(scalarType)")
    let tensor = await tensor()
    let storage = tensor.storage
    return MLShapedArray(
      bytesNoCopy: storage.pointer, shape: shape, deallocator: .custom { _, _ in withExtendedLifetime(storage) {} })
  }

  /// The computed elements as a MIL `Tensor`.
  func tensor() async -> Tensor {
    if let tensor = value.tensor { return tensor }
    let value = value
    do {
      try await offCaller { try TensorGraph.compute([value]) }
    } catch { preconditionFailure("a tensor cannot be computed: \(error)") }
    guard let tensor = value.tensor else { preconditionFailure("a tensor was not computed") }
    return tensor
  }

  // MARK: operations

  static func values(_ type: String, _ arguments: [String: TensorOperation.Argument]) -> [MLTensor] {
    TensorOperation.outputs(type, arguments).map { MLTensor($0) }
  }

  static func operation(_ type: String, _ arguments: [String: TensorOperation.Argument]) -> MLTensor {
    guard let first = values(type, arguments).first else { preconditionFailure("'\(type)' gives nothing") }
    return first
  }

  /// Converts an axis to a non-negative index.
  ///
  /// - Precondition: the axis exists.
  func axis(_ axis: Int, of count: Int? = nil) -> Int {
    let count = count ?? rank
    let index = axis < 0 ? axis + count : axis
    precondition(index >= 0 && index < count, "a tensor of shape \(shape) has no axis \(axis)")
    return index
  }
}

extension MLTensor: CustomStringConvertible, CustomReflectable {
  /// The shape and the type. Does not compute the elements.
  public var description: String { "MLTensor(shape: \(shape), scalarType: \(scalarType))" }

  /// The shape and the type. Does not compute the elements.
  public var customMirror: Mirror { Mirror(self, children: ["shape": shape, "scalarType": scalarType]) }
}

extension TensorOperation.Argument {
  static func tensor(_ tensor: MLTensor) -> Self { .values([tensor.value]) }
  static func tensors(_ tensors: [MLTensor]) -> Self { .values(tensors.map(\.value)) }
  static func int(_ value: Int) -> Self { .constant(.int(value)) }
  static func ints(_ values: [Int]) -> Self { .constant(.ints(values)) }
  static func float(_ value: Float) -> Self { .constant(.float(value)) }
  static func bool(_ value: Bool) -> Self { .constant(.bool(value)) }
  static func bools(_ values: [Bool]) -> Self { .constant(.bools(values)) }
  static func string(_ value: String) -> Self { .constant(.string(value)) }
}
