import CoreMLSpec

/// The bytes behind a tensor, shared and never written once a tensor is built on them.
///
/// Either memory owned here, or a borrowed range (a mapped weight file, a session's arena) kept alive by `owner`.
// Sendable: immutable after construction; `mutablePointer` is for builders
public final class TensorStorage: @unchecked Sendable {
  public let pointer: UnsafeRawPointer
  public let byteCount: Int
  public let strings: [String]?
  /// Where the bytes stand in a weight file, when they do: how MIL text refers to them.
  public let origin: BlobReference?
  private let owner: AnyObject?
  private let owned: UnsafeMutableRawPointer?

  /// Fresh memory, 64-byte aligned, zeroed.
  public convenience init(byteCount: Int) {
    let memory = Self.memory(byteCount)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Swift.max(byteCount, 1))
    self.init(owning: memory, byteCount: byteCount)
  }

  /// Fresh memory, 64-byte aligned, with these bytes.
  public convenience init(copying bytes: UnsafeRawBufferPointer) {
    let memory = Self.memory(bytes.count)
    if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(owning: memory, byteCount: bytes.count)
  }

  private static func memory(_ byteCount: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer.allocate(byteCount: Swift.max(byteCount, 1), alignment: 64)
  }

  private init(owning memory: UnsafeMutableRawPointer, byteCount: Int) {
    pointer = UnsafeRawPointer(memory)
    self.byteCount = byteCount
    strings = nil
    origin = nil
    owner = nil
    owned = memory
  }

  /// A range that `owner` keeps alive and unchanged.
  public init(borrowing pointer: UnsafeRawPointer, byteCount: Int, owner: AnyObject?, origin: BlobReference? = nil) {
    self.pointer = pointer
    self.byteCount = byteCount
    self.owner = owner
    self.origin = origin
    strings = nil
    owned = nil
  }

  public init(strings: [String]) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    pointer = UnsafeRawPointer(memory)
    owned = memory
    byteCount = 0
    self.strings = strings
    origin = nil
    owner = nil
  }

  /// Says that the bytes will not be read for a while: those of a mapped file need no memory then.
  public func releasePages() {
    if let inner = owner as? TensorStorage, inner !== self {
      inner.releasePages()
    } else if let owner {
      Bytes.release(UnsafeRawBufferPointer(start: pointer, count: byteCount), of: owner)
    }
  }

  /// Where a builder writes while nobody else has the storage. Only for memory that is owned here.
  public var mutablePointer: UnsafeMutableRawPointer? { owned }

  deinit { owned?.deallocate() }
}

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
      return Tensor(strings: Array(repeating: "", count: type.elementCount ?? 0), shape: shape)
    }
    guard let bytes = type.byteCount else { throw MILError(.invalidShape, "\(type) cannot be held") }
    return Tensor(unchecked: scalar, shape: shape, storage: TensorStorage(byteCount: bytes))
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
