import Synchronization

/// What devices have failed at in the predictions of one model, and which of them are given up for it.
final class DeviceHealth: Sendable {
  private struct State {
    /// In a row, by device.
    var failures: [Int: Int] = [:]
    /// Those that have ever failed.
    var known: Set<Int> = []
    /// By device: why it is given up.
    var lost: [Int: String] = [:]
  }

  private let state = Mutex(State())

  /// Predictions in a row that a device may fail in.
  static let patience = 3

  var lost: [Int: String] { state.withLock { $0.lost } }

  /// A prediction came through on the devices that are left.
  func succeeded() {
    state.withLock { if !$0.failures.isEmpty { $0.failures = [:] } }
  }

  enum Verdict {
    case first, again, givenUp
  }

  /// Notes a failure, and says whether it is the device's first, or the one with which it is given up: at once where it is final.
  func failed(_ device: Int, _ reason: String, isFinal: Bool = false) -> Verdict {
    state.withLock { state in
      guard state.lost[device] == nil else { return .again }
      let count = state.failures[device, default: 0] + 1
      state.failures[device] = count
      if isFinal {
        state.lost[device] = reason
        return .givenUp
      }
      guard count >= Self.patience else { return state.known.insert(device).inserted ? .first : .again }
      state.lost[device] = "it failed in \(count) predictions in a row, last: \(reason)"
      return .givenUp
    }
  }
}
