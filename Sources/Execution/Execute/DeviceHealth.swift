import Synchronization

/// Counts device failures in the predictions of one model, and records the devices that are no longer used for it.
final class DeviceHealth: Sendable {
  private struct State {
    /// Consecutive failures by device.
    var failures: [Int: Int] = [:]
    /// Devices that have failed at least once.
    var known: Set<Int> = []
    /// The reasons why devices are no longer used, by device.
    var lost: [Int: String] = [:]
  }

  private let state = Mutex(State())

  /// The number of consecutive failed predictions after which a device is no longer used.
  static let patience = 3

  var lost: [Int: String] { state.withLock { $0.lost } }

  /// Records a prediction that succeeded on the remaining devices.
  func succeeded() {
    state.withLock { if !$0.failures.isEmpty { $0.failures = [:] } }
  }

  enum Verdict {
    case first, again, givenUp
  }

  /// Records a failure. Returns whether it is the device's first one, or the one after which the device is no longer
  /// used. A final failure has this effect at once.
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
