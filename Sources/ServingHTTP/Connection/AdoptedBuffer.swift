import CoreMLServingProtocol
import Foundation
import Synchronization
@_spi(CustomByteBufferAllocator) import NIOCore

/// Makes the memory of an answer a `ByteBuffer` without a copy.
///
/// NIO frees such a buffer with a C function that knows only the address. So a table keeps the owner of each address
/// until then. Several answers may send the same memory, so the table counts.
enum AdoptedBuffer {
  /// Copying less than this is cheaper than the table.
  private static let smallest = 32 << 10

  private struct Owner {
    var object: AnyObject & Sendable
    var count: Int
  }

  private static let owners = Mutex<[UInt: Owner]>([:])

  /// Freed memory may be from `allocate`, if NIO ever grows or copies such a buffer.
  private static let allocator = ByteBufferAllocator(
    allocate: { malloc($0) },
    reallocate: { old, oldSize, newSize in
      guard let old else { return malloc(newSize) }
      guard AdoptedBuffer.isAdopted(old) else { return realloc(old, newSize) }
      guard let new = malloc(newSize) else { return nil }
      memcpy(new, old, min(oldSize, newSize))
      AdoptedBuffer.release(old)
      return new
    },
    deallocate: { AdoptedBuffer.release($0) },
    copy: { target, source, count in memcpy(target, source, count) })

  static func buffer(_ piece: AnswerBytes.Piece) -> ByteBuffer {
    let bytes = piece.bytes
    guard bytes.count >= smallest, let address = bytes.baseAddress else { return ByteBuffer(bytes: bytes) }
    let object: AnyObject & Sendable =
      switch piece {
      case .store(let store): store
      case .tensor(let memory): memory
      }
    owners.withLock { owners in
      owners[UInt(bitPattern: address), default: Owner(object: object, count: 0)].count += 1
    }
    return ByteBuffer(takingOwnershipOf: UnsafeMutableRawBufferPointer(mutating: bytes), allocator: allocator)
  }

  /// The number of addresses that NIO holds, for tests.
  static var count: Int { owners.withLock { $0.count } }

  private static func isAdopted(_ address: UnsafeMutableRawPointer) -> Bool {
    owners.withLock { $0[UInt(bitPattern: address)] != nil }
  }

  private static func release(_ address: UnsafeMutableRawPointer) {
    let (isAdopted, last) = owners.withLock { owners -> (Bool, (AnyObject & Sendable)?) in
      guard var owner = owners[UInt(bitPattern: address)] else { return (false, nil) }
      owner.count -= 1
      owners[UInt(bitPattern: address)] = owner.count > 0 ? owner : nil
      return (true, owner.object)
    }
    if !isAdopted { free(address) }
    // The memory is freed outside the lock.
    withExtendedLifetime(last) {}
  }
}
