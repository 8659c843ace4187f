import CoreMLBase
import CoreMLSpec
import Foundation

/// The bytes of a tensor. They are shared, and immutable once a tensor uses them.
///
/// The storage either owns its memory, or borrows a range (a mapped weight file, a session's arena) that `owner` keeps
/// alive.
// Sendable: immutable after construction, but for what the lock guards; `mutablePointer` is for builders
package final class TensorStorage: @unchecked Sendable {
  @inlinable package var pointer: UnsafeRawPointer {
    if readID != 0 { SizeReads.note(readID) }
    return address
  }
  package let byteCount: Int
  package var strings: [String]? {
    if readID != 0 { SizeReads.note(readID) }
    return texts
  }
  @usableFromInline let address: UnsafeRawPointer
  private let texts: [String]?
  /// The number by which `SizeReads` knows the elements while a pass is tracked; otherwise 0. The next number stands for
  /// the shape of a tensor of them.
  @usableFromInline let readID: UInt32
  /// The position of the bytes in a weight file, if they come from one. MIL text refers to them by it.
  package let origin: BlobReference?
  private let owner: AnyObject?
  private let memory: OwnedMemory?
  private let lock = NSLock()
  private var wide: (scalar: ScalarType, tensor: Tensor)?

  /// Allocates zeroed memory with 64-byte alignment. Pages of large allocations are not touched.
  ///
  /// - Parameters:
  ///   - others: Additional bytes to charge to the budget for the lifetime of the storage, for example those of the
  ///     array that contains it.
  ///   - purpose: The purpose of the memory, as the start of a sentence in errors.
  /// - Throws: `MILError` of code `.outOfMemory`.
  package convenience init(
    byteCount: Int, holding others: Int = 0, for purpose: @autoclosure () -> String = "a value"
  ) throws {
    self.init(try OwnedMemory(zeroed: byteCount, holding: others, of: .current, purpose), byteCount: byteCount)
  }

  /// Allocates memory with 64-byte alignment and copies these bytes.
  ///
  /// - Throws: `MILError` of code `.outOfMemory`.
  package convenience init(
    copying bytes: UnsafeRawBufferPointer, for purpose: @autoclosure () -> String = "a value"
  ) throws {
    let memory = try OwnedMemory(uninitialized: bytes.count, of: .current, purpose)
    if let source = bytes.baseAddress { memory.pointer.copyMemory(from: source, byteCount: bytes.count) }
    self.init(memory, byteCount: bytes.count)
  }

  /// Memory for elements that already exist as an array, such as a program's literals. It is not charged to a budget,
  /// as the array is not.
  convenience init(literalBytes byteCount: Int) {
    self.init(OwnedMemory(literal: byteCount), byteCount: byteCount)
  }

  private init(_ memory: OwnedMemory, byteCount: Int) {
    address = UnsafeRawPointer(memory.pointer)
    self.byteCount = byteCount
    (texts, readID) = (nil, 0)
    origin = nil
    owner = nil
    self.memory = memory
  }

  /// A range that `owner` keeps alive and unchanged.
  package init(borrowing pointer: UnsafeRawPointer, byteCount: Int, owner: AnyObject?, origin: BlobReference? = nil) {
    address = pointer
    self.byteCount = byteCount
    self.owner = owner
    self.origin = origin
    (texts, readID) = (nil, 0)
    memory = nil
  }

  /// The same bytes, whose reads `SizeReads` notes.
  package init(tracking other: TensorStorage, id: UInt32) {
    (address, byteCount, origin, owner) = (other.address, other.byteCount, other.origin, other)
    (texts, readID, memory) = (other.texts, id, nil)
  }

  /// The number of a tracked value, or 0. Asking for it is no read.
  package var trackedID: UInt32 { readID }

  package init(strings: [String]) {
    let memory = OwnedMemory(literal: 1)
    address = UnsafeRawPointer(memory.pointer)
    self.memory = memory
    byteCount = 0
    (texts, readID) = (strings, 0)
    origin = nil
    owner = nil
  }

  /// Announces that the bytes will not be read for a while, so that pages of a mapped file can be released.
  package func releasePages() {
    if let inner = owner as? TensorStorage, inner !== self {
      inner.releasePages()
    } else if let owner {
      Bytes.release(UnsafeRawBufferPointer(start: pointer, count: byteCount), of: owner)
    }
  }

  /// Whether the bytes come from a model that is encrypted on disk, and must not be stored elsewhere.
  package var isSecret: Bool {
    if let inner = owner as? TensorStorage, inner !== self { return inner.isSecret }
    return owner.map(Bytes.isSecret) ?? false
  }

  /// The elements as fp32, which `make` decodes at the first call. They live as long as the storage, so everything that
  /// reads them shares one copy.
  package func widened(_ scalar: ScalarType, _ make: () throws -> Tensor) rethrows -> Tensor {
    if let known = lock.withLock({ wide }), known.scalar == scalar { return known.tensor }
    let made = try make()
    lock.withLock { wide = (scalar, made) }
    return made
  }

  /// For builders, while no other code uses the storage. Nil if the memory is borrowed.
  package var mutablePointer: UnsafeMutableRawPointer? { memory?.pointer }

  deinit { memory?.free() }
}

/// Allocated memory, and the budget that it is charged to.
private struct OwnedMemory {
  let pointer: UnsafeMutableRawPointer
  private let block: UnsafeMutableRawPointer
  private let reserved: (budget: MemoryBudget, bytes: Int)?

  static let alignment = 64

  init(zeroed byteCount: Int, holding others: Int, of budget: MemoryBudget, _ purpose: () -> String) throws {
    // `calloc` does not touch pages that the kernel has just zeroed.
    try self.init(byteCount, others, budget, purpose) { calloc($0, 1) }
  }

  init(uninitialized byteCount: Int, of budget: MemoryBudget, _ purpose: () -> String) throws {
    try self.init(byteCount, 0, budget, purpose) { malloc($0) }
  }

  private init(
    _ byteCount: Int, _ others: Int, _ budget: MemoryBudget, _ purpose: () -> String,
    _ allocate: (Int) -> UnsafeMutableRawPointer?
  ) throws {
    let (padded, overflow) = max(byteCount, 1).addingReportingOverflow(Self.alignment)
    let (held, isTooMuch) = byteCount.addingReportingOverflow(others)
    guard byteCount >= 0, !overflow, !isTooMuch else { throw SystemMemory.refused(.max, for: purpose()) }
    try budget.reserve(held, for: purpose())
    do {
      block = try budget.yielding {
        guard let block = allocate(padded) else { throw SystemMemory.refused(byteCount, for: purpose()) }
        return block
      }
    } catch {
      budget.release(held)
      throw error
    }
    pointer = block.alignedUp(toMultipleOf: Self.alignment)
    reserved = (budget, held)
  }

  init(literal byteCount: Int) {
    block = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: Self.alignment)
    pointer = block
    reserved = nil
  }

  func free() {
    guard let reserved else { return block.deallocate() }
    Foundation.free(block)
    reserved.budget.release(reserved.bytes)
  }
}
