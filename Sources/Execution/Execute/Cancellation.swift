import Foundation
import Synchronization

/// Lets whoever started work on another thread stop it between two steps.
package final class Cancellation: Sendable {
  private let isCancelled = Atomic<Bool>(false)

  package init() {}

  package func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Runs `body` so that `shouldStop` sees this cancellation on the current thread.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = Thread.current.threadDictionary[Self.key]
    Thread.current.threadDictionary[Self.key] = self
    defer { Thread.current.threadDictionary[Self.key] = before }
    return try body()
  }

  private static let key = "coreml.runtime.cancellation"

  /// The cancellation of the work on the current thread, looked up once a prediction.
  package static var current: Cancellation? { Thread.current.threadDictionary[key] as? Cancellation }

  package var shouldStop: Bool { isCancelled.load(ordering: .relaxed) }
}
