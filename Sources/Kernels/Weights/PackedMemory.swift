import CoreMLBase
import CoreMLSpec
import MIL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory that a weight is packed into: written once, then shared by all readers.
package final class PackedMemory: @unchecked Sendable {  // written before it is shared
  private enum Owner {
    case heap
    case secret(SecretMemory)
    case mapping(UnsafeMutableRawPointer, count: Int)
  }

  /// Aligned to 64 bytes.
  package let pointer: UnsafeRawPointer
  package let byteCount: Int
  private let owner: Owner
  /// The budget that memory of this process is charged to.
  private let budget: MemoryBudget?

  /// The system provides allocations of this size or more directly, and gets them back at once on release.
  private static let large = 1 << 17

  private init(_ pointer: UnsafeRawPointer, _ byteCount: Int, _ owner: Owner, _ budget: MemoryBudget) {
    (self.pointer, self.byteCount, self.owner, self.budget) = (pointer, byteCount, owner, budget)
  }

  /// Allocates memory. Bytes that `fill` does not write are zero.
  ///
  /// - Parameter isSecret: whether the content is secret and needs `SecretMemory`.
  static func filled(
    byteCount: Int, isSecret: Bool = false, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> PackedMemory {
    let failure = KernelError(.outOfMemory, "no memory for \(byteCount) bytes of packed weights")
    guard byteCount >= 0 else { throw failure }
    let budget = MemoryBudget.current
    try budget.reserve(byteCount, for: "a packed weight")
    var isKept = false
    defer { if !isKept { budget.release(byteCount) } }
    if isSecret {
      guard let secret = try? SecretMemory(count: byteCount, children: .share) else { throw failure }
      let memory = PackedMemory(UnsafeRawPointer(secret.start), byteCount, .secret(secret), budget)
      isKept = true
      try fill(secret.bytes)
      return memory
    }
    let memory: PackedMemory
    let base: UnsafeMutableRawPointer
    if byteCount >= large {
      let protection = PROT_READ | PROT_WRITE
      guard let pages = mmap(nil, byteCount, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), pages != MAP_FAILED
      else { throw failure }
      base = pages
      memory = PackedMemory(base, byteCount, .mapping(pages, count: byteCount), budget)
    } else {
      var bytes: UnsafeMutableRawPointer?
      guard posix_memalign(&bytes, 64, max(byteCount, 64)) == 0, let bytes else { throw failure }
      bytes.initializeMemory(as: UInt8.self, repeating: 0, count: max(byteCount, 64))
      base = bytes
      memory = PackedMemory(bytes, byteCount, .heap, budget)
    }
    isKept = true
    try fill(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
    return memory
  }

  /// Takes ownership of a mapping of `count` bytes, whose used part begins at `offset`.
  init(mapping base: UnsafeMutableRawPointer, count: Int, offset: Int, byteCount: Int) {
    pointer = UnsafeRawPointer(base + offset)
    (self.byteCount, owner, budget) = (byteCount, .mapping(base, count: count), nil)
  }

  /// Valid while this object is alive.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: pointer, count: byteCount) }

  deinit {
    switch owner {
    case .heap: free(UnsafeMutableRawPointer(mutating: pointer))
    case .mapping(let base, let count): munmap(base, count)
    case .secret: break
    }
    budget?.release(byteCount)
  }
}
