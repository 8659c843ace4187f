import CoreMLBase

/// A position in a weight file: `BLOBFILE(path = ..., offset = ...)` in MIL text. The offset is that of the entry's
/// metadata.
package struct BlobReference: Sendable, Hashable {
  package var path: String
  package var offset: UInt64

  package init(path: String, offset: UInt64) {
    self.path = path
    self.offset = offset
  }
}

/// A dense tensor with a concrete shape. Elements are contiguous and row-major. Elements smaller than a byte are packed
/// from the least significant bit.
package struct Tensor: Sendable {
  package let scalar: ScalarType
  @usableFromInline let sizes: [Int]
  package let storage: TensorStorage

  @inlinable package var shape: [Int] {
    if storage.readID != 0 { SizeReads.note(storage.readID + 1) }
    return sizes
  }

  /// Creates a tensor over existing bytes. Throws if there are too few.
  package init(_ scalar: ScalarType, shape: [Int], storage: TensorStorage) throws {
    let type = try TensorType(scalar, shape).validated("a tensor")
    if scalar == .string {
      guard let count = type.elementCount, storage.strings?.count == count else {
        throw MILError(.invalidShape, "a string tensor of shape \(shape) has \(storage.strings?.count ?? 0) strings")
      }
    } else {
      guard let bytes = type.byteCount, bytes <= storage.byteCount else {
        throw MILError(.invalidShape, "\(type) needs \(type.byteCount ?? -1) bytes, \(storage.byteCount) are there")
      }
    }
    self.scalar = scalar
    sizes = shape
    self.storage = storage
  }

  /// The same tensor, whose reads `SizeReads` notes.
  package init(tracking other: Tensor, id: UInt32) {
    self.init(unchecked: other.scalar, shape: other.sizes, storage: TensorStorage(tracking: other.storage, id: id))
  }

  init(unchecked scalar: ScalarType, shape: [Int], storage: TensorStorage) {
    self.scalar = scalar
    sizes = shape
    self.storage = storage
  }

  /// A zeroed tensor, to be filled through `storage.mutablePointer`.
  package static func zeros(_ scalar: ScalarType, shape: [Int]) throws -> Tensor {
    let type = try TensorType(scalar, shape).validated("a tensor")
    if scalar == .string {
      guard let count = type.elementCount else { throw MILError(.invalidShape, "\(type) cannot be held") }
      try MemoryBudget.current.admit(count, of: MemoryLayout<String>.stride, for: "\(type)")
      return Tensor(strings: Array(repeating: "", count: count), shape: shape)
    }
    guard let bytes = type.byteCount else { throw MILError(.invalidShape, "\(type) cannot be held") }
    return Tensor(unchecked: scalar, shape: shape, storage: try TensorStorage(byteCount: bytes, for: "\(type)"))
  }

  package var type: TensorType { TensorType(scalar, shape) }
  package var rank: Int { shape.count }
  package var count: Int { shape.reduce(1, *) }  // checked when the tensor was built
  package var byteCount: Int { scalar.byteCount(for: count) ?? 0 }

  /// The same bytes with another shape of the same element count.
  package func reshaped(_ shape: [Int]) throws -> Tensor {
    guard TensorType.elementCount(shape) == count else {
      throw MILError(.invalidShape, "a tensor of shape \(self.shape) cannot take the shape \(shape)")
    }
    return Tensor(unchecked: scalar, shape: shape, storage: storage)
  }

  @inlinable package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(start: storage.pointer, count: byteCount)) }
  }
}
