import CoreMLServingInterface
import Synchronization

/// The bytes that the server has promised: to loaded models, and to tensors of requests.
package final class MemoryLedger: Sendable {
  package let limit: Int
  private let used = Mutex(0)

  package init(limit: Int) { self.limit = limit }

  package var usedBytes: Int { used.withLock { $0 } }

  /// Reserves bytes until the reservation is released or dropped.
  ///
  /// - Throws: `exhausted` if they do not fit now, `tooLarge` if they never will.
  package func reserve(_ bytes: Int, for purpose: String) throws(ServingError) -> MemoryReservation {
    guard bytes <= limit else {
      throw ServingError(.tooLarge, "\(purpose) needs \(bytes) bytes, the server has \(limit) in all.")
    }
    let isReserved = used.withLock { used in
      guard bytes <= limit - used else { return false }
      used += max(bytes, 0)
      return true
    }
    guard isReserved else {
      throw ServingError(
        .exhausted, "\(purpose) needs \(bytes) bytes, of \(limit) bytes \(limit - usedBytes) are free.",
        retryAfter: .milliseconds(100))
    }
    return MemoryReservation(self, max(bytes, 0))
  }

  /// Whether bytes would fit now.
  func admit(_ bytes: Int) throws(ServingError) { _ = try reserve(bytes, for: "The request") }

  fileprivate func release(_ bytes: Int) { used.withLock { $0 -= bytes } }
}

/// Bytes of a ledger.
package final class MemoryReservation: Sendable {
  package let bytes: Int
  private let ledger: MemoryLedger

  fileprivate init(_ ledger: MemoryLedger, _ bytes: Int) { (self.ledger, self.bytes) = (ledger, bytes) }

  deinit { ledger.release(bytes) }
}
