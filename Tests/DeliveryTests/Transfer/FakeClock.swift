import CoreMLBase
import Crypto
import Foundation
import Synchronization

@testable import CoreMLDelivery

/// A clock that advances only during sleeps.
final class FakeClock: Sendable {
  private let state = Mutex<(now: Duration, sleeps: [Duration])>((.zero, []))

  var sleeps: [Duration] { state.withLock { $0.sleeps } }
  var now: Duration { state.withLock { $0.now } }

  var transfer: TransferClock {
    TransferClock(now: { self.now }) { duration in
      try Task.checkCancellation()
      self.state.withLock { state in
        state.now += duration
        state.sleeps.append(duration)
      }
    }
  }
}

/// The recorded events, in order.
final class EventLog: Sendable {
  private let events = Mutex<[TransferEvent]>([])

  func add(_ event: TransferEvent) { events.withLock { $0.append(event) } }
  var codes: [String] { events.withLock { $0.map(\.code) } }
  var all: [TransferEvent] { events.withLock { $0 } }
}

extension Sample {
  /// Computes a digest with another implementation.
  static func digest(_ bytes: [UInt8]) -> String {
    Crypto.SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
  }
}
