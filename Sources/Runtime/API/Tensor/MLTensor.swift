import Foundation
import MIL

/// Numbers in a grid of any rank whose operations run when their results are asked for.
///
/// An operation gives a tensor at once, with its shape and type, and computes nothing. When `shapedArray(of:)` asks for the numbers, all
/// operations that lead to them become one program, which is planned, fused and placed on devices as a model's is. Programs are kept by
/// their structure: a loop that calculates the same again and again plans it once.
///
/// Operands of different types meet in the wider one, integers in floats and truth values in numbers; shapes broadcast as in numpy, from
/// the last axis on. Negative axes count from the last one. Shapes, axes and indices that do not fit are precondition failures, as in
/// Core ML: tensors are made by a program, not read from a file.
public struct MLTensor: Sendable {
  private let handle: TensorHandle
  /// A literal of the program: its type gives way to the other operand's.
  let isLiteral: Bool

  init(_ value: TensorValue, isLiteral: Bool = false) {
    handle = TensorHandle(value)
    self.isLiteral = isLiteral
  }

  /// The same as a literal.
  var literal: MLTensor { MLTensor(value, isLiteral: true) }

  var value: TensorValue { handle.value }
  var scalar: ScalarType { value.scalar }

  /// The size of each axis; empty for a single scalar.
  public var shape: [Int] { value.shape }
  /// How many axes there are.
  public var rank: Int { shape.count }
  /// How many scalars there are.
  public var scalarCount: Int { shape.reduce(1, *) }
  /// Whether the tensor is a single number, of rank 0.
  public var isScalar: Bool { shape.isEmpty }
  /// The type of the elements.
  public var scalarType: any MLTensorScalar.Type { TensorScalars.type(scalar) }

  /// The numbers, computed where that has not been done yet, by a task that was cancelled too. The array sees the tensor's memory.
  ///
  /// - Precondition: the elements are of the type, and the operations can run: there is memory for them, indices are within their axes.
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

  /// The numbers as a tensor of the language.
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

  /// An axis counted from the front.
  ///
  /// - Precondition: there is one.
  func axis(_ axis: Int, of count: Int? = nil) -> Int {
    let count = count ?? rank
    let index = axis < 0 ? axis + count : axis
    precondition(index >= 0 && index < count, "a tensor of shape \(shape) has no axis \(axis)")
    return index
  }
}

extension MLTensor: CustomStringConvertible, CustomReflectable {
  /// The type and the shape; the numbers are not asked for.
  public var description: String { "MLTensor(shape: \(shape), scalarType: \(scalarType))" }

  /// The shape and the type; the numbers are not asked for.
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
