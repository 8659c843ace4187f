#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

#if _endian(big)
  #error("Model files are little endian and are read in place.")
#endif

/// An immutable range of memory, of a mapped file or on the heap.
///
/// A value keeps its memory alive, and slices share it. Every access through this type is checked against `count`. Only
/// the pages of a mapped file that are accessed are read. If another process truncates a mapped file, the kernel raises
/// SIGBUS, as for a disk error. So models must be replaced by renaming, and never written in place.
public struct Bytes: @unchecked Sendable {
  @usableFromInline package let storage: Storage
  /// The first byte, valid for the lifetime of this value or a slice of it. Never null. Aligned only if the file format
  /// guarantees it.
  @usableFromInline package let pointer: UnsafeRawPointer
  @usableFromInline package let count: Int

  package init(_ storage: Storage) {
    self.storage = storage
    self.pointer = storage.base
    self.count = storage.count
  }

  @usableFromInline init(storage: Storage, pointer: UnsafeRawPointer, count: Int) {
    self.storage = storage
    self.pointer = pointer
    self.count = count
  }

  /// An empty range.
  package init() { self.init(Storage.empty) }

  /// A copy of the given bytes.
  package init(_ bytes: [UInt8], file: String? = nil) {
    self = bytes.withUnsafeBytes { Bytes(copying: $0, file: file) }
  }

  /// A copy of the given memory.
  package init(copying source: UnsafeRawBufferPointer, file: String? = nil) {
    self.init(count: source.count, file: file) { $0.copyMemory(from: source) }
  }

  /// `count` zeroed bytes, aligned to 64 bytes, that `fill` may write. A `count` from a file must be checked first.
  package init(count: Int, file: String? = nil, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 0), alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    let storage = Storage(heap: memory, file: file)
    try fill(memory)
    self.init(storage)
  }

  /// Maps a file for reading. The file descriptor is closed before this returns.
  package static func mapping(file path: String) throws -> Bytes { Bytes(try Storage(mapping: path)) }

  /// The path of the file that the bytes came from, for messages.
  package var file: String? { storage.file }
  @inlinable public var isEmpty: Bool { count == 0 }
  /// The offset of these bytes in their file or allocation.
  package var offset: Int { pointer - storage.base }

  /// The bytes in `range`, relative to these.
  @inlinable public func slice(_ range: Range<Int>) throws -> Bytes {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw error(.outOfBounds, "bytes \(range.lowerBound)..<\(range.upperBound) were asked for and there are \(count)")
    }
    return unchecked(range)
  }

  /// `count` bytes from `offset`, with both numbers untrusted.
  @inlinable public func slice(at offset: UInt64, count length: UInt64) throws -> Bytes {
    let (end, overflow) = offset.addingReportingOverflow(length)
    guard !overflow, end <= UInt64(count) else {
      throw error(.outOfBounds, "\(length) bytes from byte \(offset) were asked for and there are \(count)")
    }
    return unchecked(Int(offset)..<Int(end))
  }

  /// A little-endian integer at any offset, aligned or not.
  @inlinable public func load<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int) throws -> T {
    guard offset >= 0, offset <= count, count - offset >= MemoryLayout<T>.size else {
      throw error(
        .outOfBounds, "\(MemoryLayout<T>.size) bytes from byte \(offset) were asked for and there are \(count)")
    }
    return withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
  }

  @inlinable public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(start: pointer, count: count)) }
  }

  /// A copy.
  package var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// The bytes in a range that the caller has checked.
  @inlinable public func unchecked(_ range: Range<Int>) -> Bytes {
    Bytes(storage: storage, pointer: pointer + range.lowerBound, count: range.count)
  }

  /// An error with the file's path.
  @usableFromInline package func error(_ code: FileError.Code, _ message: String) -> FileError {
    FileError(code, message, file: file)
  }
}

extension Bytes: Equatable {
  /// Whether the contents are equal.
  public static func == (a: Bytes, b: Bytes) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBytes { left in
      b.withUnsafeBytes { right in
        guard let l = left.baseAddress, let r = right.baseAddress else { return true }
        return memcmp(l, r, left.count) == 0
      }
    }
  }
}
