import CoreMLBase
import Foundation
import MIL

extension MLMultiArrayDataType {
  /// The corresponding MIL element type.
  var scalar: ScalarType {
    switch self {
    case .double: .float64
    case .float32: .float32
    case .float16: .float16
    case .int32: .int32
    case .int8: .int8
    }
  }

  init?(_ scalar: ScalarType) {
    switch scalar {
    case .float64: self = .double
    case .float32: self = .float32
    case .float16: self = .float16
    case .int32, .bool, .int16, .uint8, .uint16, .uint32, .int64, .uint64: self = .int32
    case .int8: self = .int8
    default: return nil
    }
  }
}

extension MLMultiArray {
  /// Returns the elements like `tensor(as:)`, but without a copy if they are contiguous and of the type `scalar`. The
  /// tensor is valid as long as nothing writes to the array.
  func borrowed(as scalar: ScalarType) throws -> Tensor {
    guard dataType.scalar == scalar, isDense else { return try tensor(as: scalar) }
    let storage = TensorStorage(
      borrowing: UnsafeRawPointer(dataPointer), byteCount: count * dataType.size, owner: self)
    return try Tensor(scalar, shape: layout.shape, storage: storage)
  }

  /// Returns a copy of the elements in row-major order, converted to `scalar`.
  func tensor(as scalar: ScalarType) throws -> Tensor {
    let shape = layout.shape
    let dense = try Tensor.zeros(dataType.scalar, shape: shape)
    let size = dataType.scalar.bitWidth / 8
    let strides = layout.strides
    guard let target = dense.storage.mutablePointer else { return dense }
    withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      StridedCopy(shape: shape, strides: strides, size: size).gather(from: base, to: target)
    }
    return try Casting.converted(dense, to: scalar)
  }

  /// Whether the elements are contiguous in row-major order.
  var isDense: Bool { ShapedLayout.isDense(layout.shape, layout.strides) }

  /// Creates an array from a tensor's elements, converted to `type`.
  convenience init(_ tensor: Tensor, as type: MLMultiArrayDataType) throws {
    try self.init(sizes: tensor.shape, type, isWritten: true)
    try write(tensor)
  }

  /// Overwrites the elements with a tensor's, converted to the array's type. Both must have the same number of
  /// elements.
  func write(_ tensor: Tensor) throws {
    if tensor.storage.pointer == UnsafeRawPointer(dataPointer), tensor.scalar == dataType.scalar, isDense,
      tensor.count == count
    {
      return
    }
    if isDense, tensor.count == count,
      withUnsafeMutableBytes({ target, _ in
        guard let base = target.baseAddress, tensor.storage.pointer != UnsafeRawPointer(base) else { return false }
        return withExtendedLifetime(tensor) {
          Casting.convert(tensor.storage.pointer, tensor.scalar, to: base, dataType.scalar, count: count)
        }
      })
    {
      return
    }
    let converted = try Casting.converted(tensor, to: dataType.scalar)
    let shape = layout.shape
    guard converted.count == shape.reduce(1, *) else {
      throw RuntimeError(.evaluation, "a tensor of shape \(tensor.shape) does not fit an array of shape \(shape)")
    }
    let size = dataType.scalar.bitWidth / 8
    withUnsafeMutableBytes { target, strides in
      guard let base = target.baseAddress else { return }
      StridedCopy(shape: shape, strides: strides, size: size).scatter(from: converted.storage.pointer, to: base)
    }
    withExtendedLifetime(converted) {}
  }
}
