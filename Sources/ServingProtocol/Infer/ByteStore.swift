import CoreMLServingInterface
import Foundation

/// Bytes that grow. Memory is requested so that the request can fail, since its size depends on a client.
///
/// One owner at a time writes to it. A response takes the memory over without a copy.
// Sendable: one task or event loop uses it at a time.
package final class ByteStore: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer?
  private var capacity = 0
  package private(set) var count = 0
  /// Whether memory was refused. Later bytes are dropped, so that writers check once, at the end.
  package private(set) var isExhausted = false

  package init() {}

  deinit { free(start) }

  /// A copy.
  package var array: [UInt8] { withExtendedLifetime(self) { Array(bytes) } }
  /// The caller keeps this object as long as it reads them.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
  /// The same memory, for a response that keeps this object alive as long as it uses the memory.
  package var memory: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: count) }

  package func reserve(_ more: Int) {
    guard !isExhausted, count + more > capacity else { return }
    let wanted = max(count + more, capacity + capacity / 2, 256)
    guard let grown = realloc(start, wanted) else {
      isExhausted = true
      return
    }
    (start, capacity) = (grown, wanted)
  }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    guard let address = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(bytes.count)
    guard !isExhausted, let start else { return }
    memcpy(start + count, address, bytes.count)
    count += bytes.count
  }

  package func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package func append(_ byte: UInt8) {
    reserve(1)
    guard !isExhausted, let start else { return }
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  package func append(text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Writes at most `most` bytes after the others; `body` returns how many it wrote.
  func append(upTo most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    reserve(most)
    guard !isExhausted, let start else { return }
    count += body((start + count).assumingMemoryBound(to: UInt8.self))
  }

  /// - Throws: `exhausted` if memory was refused.
  package func check() throws(ServingError) {
    guard !isExhausted else { throw ServingError(.exhausted, "There is no memory for the text of the request.") }
  }
}
