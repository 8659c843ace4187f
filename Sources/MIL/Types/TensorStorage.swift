import CoreMLBase
import CoreMLSpec
import Foundation

/// The bytes behind a tensor, shared and never written once a tensor is built on them.
///
/// Either memory owned here, or a borrowed range (a mapped weight file, a session's arena) kept alive by `owner`.
// Sendable: immutable after construction; `mutablePointer` is for builders
package final class TensorStorage: @unchecked Sendable {
  package let pointer: UnsafeRawPointer
  package let byteCount: Int
  package let strings: [String]?
  /// Where the bytes stand in a weight file, when they do: how MIL text refers to them.
  package let origin: BlobReference?
  private let owner: AnyObject?
  private let memory: OwnedMemory?

  /// Fresh memory, 64-byte aligned, zeroed: large memory costs nothing before it is touched.
  ///
  /// - Parameters:
  ///   - others: bytes that are held besides as long as the storage is, such as those of an array that it is an element of.
  ///   - purpose: what it is for, as a sentence about too little memory begins.
  /// - Throws: `MILError` of code `.outOfMemory`.
  package convenience init(
    byteCount: Int, holding others: Int = 0, for purpose: @autoclosure () -> String = "a value"
  ) throws {
    self.init(try OwnedMemory(zeroed: byteCount, holding: others, of: .current, purpose), byteCount: byteCount)
  }

  /// Fresh memory, 64-byte aligned, with these bytes.
  ///
  /// - Throws: `MILError` of code `.outOfMemory`.
  package convenience init(
    copying bytes: UnsafeRawBufferPointer, for purpose: @autoclosure () -> String = "a value"
  ) throws {
    let memory = try OwnedMemory(uninitialized: bytes.count, of: .current, purpose)
    if let source = bytes.baseAddress { memory.pointer.copyMemory(from: source, byteCount: bytes.count) }
    self.init(memory, byteCount: bytes.count)
  }

  /// Memory for numbers that are there as an array already, such as a program's literals: as an array's, it cannot be refused.
  convenience init(literalBytes byteCount: Int) {
    self.init(OwnedMemory(literal: byteCount), byteCount: byteCount)
  }

  private init(_ memory: OwnedMemory, byteCount: Int) {
    pointer = UnsafeRawPointer(memory.pointer)
    self.byteCount = byteCount
    strings = nil
    origin = nil
    owner = nil
    self.memory = memory
  }

  /// A range that `owner` keeps alive and unchanged.
  package init(borrowing pointer: UnsafeRawPointer, byteCount: Int, owner: AnyObject?, origin: BlobReference? = nil) {
    self.pointer = pointer
    self.byteCount = byteCount
    self.owner = owner
    self.origin = origin
    strings = nil
    memory = nil
  }

  package init(strings: [String]) {
    let memory = OwnedMemory(literal: 1)
    pointer = UnsafeRawPointer(memory.pointer)
    self.memory = memory
    byteCount = 0
    self.strings = strings
    origin = nil
    owner = nil
  }

  /// Says that the bytes will not be read for a while: those of a mapped file need no memory then.
  package func releasePages() {
    if let inner = owner as? TensorStorage, inner !== self {
      inner.releasePages()
    } else if let owner {
      Bytes.release(UnsafeRawBufferPointer(start: pointer, count: byteCount), of: owner)
    }
  }

  /// Whether the bytes are to be found nowhere else: those of a model that is encrypted on disk.
  package var isSecret: Bool {
    if let inner = owner as? TensorStorage, inner !== self { return inner.isSecret }
    return owner.map(Bytes.isSecret) ?? false
  }

  /// Where a builder writes while nobody else has the storage. Only for memory that is owned here.
  package var mutablePointer: UnsafeMutableRawPointer? { memory?.pointer }

  deinit { memory?.free() }
}

/// Memory of the system's, and the budget that it is taken from.
private struct OwnedMemory {
  let pointer: UnsafeMutableRawPointer
  private let block: UnsafeMutableRawPointer
  private let reserved: (budget: MemoryBudget, bytes: Int)?

  static let alignment = 64

  init(zeroed byteCount: Int, holding others: Int, of budget: MemoryBudget, _ purpose: () -> String) throws {
    // Memory anew from the kernel is zero: `calloc` does not touch it.
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
