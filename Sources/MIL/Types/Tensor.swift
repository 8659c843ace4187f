/// A place in a weight file: `BLOBFILE(path = ..., offset = ...)` in MIL text. The offset is that of the entry's metadata.
public struct BlobReference: Sendable, Hashable {
  public var path: String
  public var offset: UInt64

  public init(path: String, offset: UInt64) {
    self.path = path
    self.offset = offset
  }
}

/// A dense tensor: concrete shape, contiguous row-major elements (packed from the least significant bit when sub-byte).
public struct Tensor: Sendable {
  public let scalar: ScalarType
  public let shape: [Int]
  public let storage: TensorStorage

  /// A tensor over existing bytes; throws when they are too few.
  public init(_ scalar: ScalarType, shape: [Int], storage: TensorStorage) throws {
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
    self.shape = shape
    self.storage = storage
  }

  init(unchecked scalar: ScalarType, shape: [Int], storage: TensorStorage) {
    self.scalar = scalar
    self.shape = shape
    self.storage = storage
  }

  /// A zeroed tensor to be filled through `storage.mutablePointer`.
  public static func zeros(_ scalar: ScalarType, shape: [Int]) throws -> Tensor {
    let type = try TensorType(scalar, shape).validated("a tensor")
    if scalar == .string {
      guard let count = type.elementCount else { throw MILError(.invalidShape, "\(type) cannot be held") }
      try MemoryBudget.current.admit(count, of: MemoryLayout<String>.stride, for: "\(type)")
      return Tensor(strings: Array(repeating: "", count: count), shape: shape)
    }
    guard let bytes = type.byteCount else { throw MILError(.invalidShape, "\(type) cannot be held") }
    return Tensor(unchecked: scalar, shape: shape, storage: try TensorStorage(byteCount: bytes, for: "\(type)"))
  }

  public var type: TensorType { TensorType(scalar, shape) }
  public var rank: Int { shape.count }
  public var count: Int { shape.reduce(1, *) }  // checked when the tensor was built
  public var byteCount: Int { scalar.byteCount(for: count) ?? 0 }

  /// The same bytes under another shape of as many elements.
  public func reshaped(_ shape: [Int]) throws -> Tensor {
    guard TensorType.elementCount(shape) == count else {
      throw MILError(.invalidShape, "a tensor of shape \(self.shape) cannot take the shape \(shape)")
    }
    return Tensor(unchecked: scalar, shape: shape, storage: storage)
  }

  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(start: storage.pointer, count: byteCount)) }
  }
}
