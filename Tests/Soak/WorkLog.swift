import AllocationCount
import CoreML
import CoreMLDelivery
import Foundation
import Synchronization

/// Counts of actions, failures and wrong outputs.
final class WorkLog: Sendable {
  private struct Failure: Codable {
    var count = 0
    /// The message of the first occurrence.
    let message: String
    /// Whether it is an error of the runtime or of delivery, with a code and a sentence.
    let isTold: Bool
  }

  private struct State: Codable {
    var done: [String: Int] = [:]
    /// The failures, by `action code`.
    var failures: [String: Failure] = [:]
    var wrong: [String] = []
    var wrongCount = 0
    /// `heap` is the allocated heap memory in bytes; `arenas` is the memory that the allocator holds, including free
    /// blocks.
    var heap = 0
    var arenas = 0
  }

  private let state = Mutex(State())

  func count(_ action: String) { state.withLock { $0.done[action, default: 0] += 1 } }

  func wrong(_ message: String) {
    state.withLock { state in
      state.wrongCount += 1
      if state.wrong.count < 20 { state.wrong.append(message) }
    }
  }

  func failed(_ action: String, _ error: any Error) {
    let (code, message, isTold) =
      switch error {
      case let error as DeliveryError: (error.code.rawValue, error.description, true)
      case let error as MLModelError: (error.underlyingCode, error.message, true)
      case is CancellationError: ("cancelled", "cancelled", true)
      default: ("\(type(of: error))", "\(error)", false)
      }
    state.withLock { state in
      let key = "\(action) \(code)"
      state.failures[key, default: Failure(message: message, isTold: isTold && !message.isEmpty)].count += 1
    }
  }

  /// Prints a line on standard output.
  func tell() {
    var state = state.withLock { $0 }
    (state.heap, state.arenas) = (AllocationCount.held, AllocationCount.fromSystem)
    guard let line = try? JSONEncoder().encode(state) else { return }
    FileHandle.standardOutput.write(line + Data("\n".utf8))
  }
}
