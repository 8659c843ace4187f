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

  /// The numbers, computed where that has not been done yet. The array sees the tensor's memory.
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

  static func values(_ type: String, _ arguments: [String: TensorArgument]) -> [MLTensor] {
    TensorOperation.outputs(type, arguments.mapValues(\.argument)).map { MLTensor($0) }
  }

  static func operation(_ type: String, _ arguments: [String: TensorArgument]) -> MLTensor {
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

extension MLTensor: CustomStringConvertible {
  /// The type and the shape; the numbers are not asked for.
  public var description: String { "MLTensor(shape: \(shape), scalarType: \(scalarType))" }
}

/// What an operation is given: tensors, or constants that it is planned with.
enum TensorArgument {
  case tensor(MLTensor)
  case tensors([MLTensor])
  case int(Int)
  case ints([Int])
  case float(Float)
  case bool(Bool)
  case bools([Bool])
  case string(String)

  var argument: TensorOperation.Argument {
    switch self {
    case .tensor(let tensor): .values([tensor.value])
    case .tensors(let tensors): .values(tensors.map(\.value))
    case .int(let value): .constant(.int(value))
    case .ints(let values): .constant(.ints(values))
    case .float(let value): .constant(.float(value))
    case .bool(let value): .constant(.bool(value))
    case .bools(let values): .constant(.bools(values))
    case .string(let value): .constant(.string(value))
    }
  }
}
