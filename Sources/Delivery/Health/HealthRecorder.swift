import CPlatform
import Foundation
import Synchronization

/// Counts this process's use of one loaded model, in a separate file.
///
/// Each begin and end is written immediately with one system call, so no end of the process loses counts. An operation
/// that began but never ended means that the process died in it, except after an orderly end (``CleanShutdownMark``).
/// The file is not synchronized, so a power failure loses some counts.
final class HealthRecorder: Sendable {
  enum Outcome {
    case good
    case failed
    /// A cancelled operation, which does not count.
    case void
  }

  private struct State {
    var record = HealthRecord()
    var descriptor: Int32 = -1
    /// The registration of the file for an orderly end of the process, or -1.
    var mark: Int32 = -1
    var isOpened = false
    var failure: DeliveryError?
  }

  private let file: URL
  private let state = Mutex(State())

  /// - Parameter folder: the health folder of the model. The file is created with the first load.
  init(in folder: URL) {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    file = folder.appending(path: "\(PartialOwner.current.token)~\(random).\(HealthStore.recordExtension)")
  }

  deinit {
    state.withLock { Self.close(&$0) }
  }

  /// The counts of this process.
  var counts: HealthCounts { state.withLock { $0.record.counts } }

  /// Returns the error of writing the counts once, then nil. The counts in memory remain valid.
  func takeFailure() -> DeliveryError? {
    state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
  }

  /// Records the begin of a load or prediction.
  func begin() {
    state.withLock { state in
      state.record.running += 1
      write(&state)
    }
  }

  func endLoad(_ outcome: Outcome) {
    state.withLock { state in
      state.record.running -= 1
      switch outcome {
      case .good: state.record.counts.loads += 1
      case .failed: state.record.counts.loadFailures += 1
      case .void: break
      }
      write(&state)
    }
  }

  /// - Parameters:
  ///   - latency: nil if it is not a meaningful measure of the model.
  ///   - rows: the number of predictions in a batch.
  func endPrediction(_ outcome: Outcome, latency: Duration?, rows: Int = 1) {
    state.withLock { state in
      state.record.running -= 1
      switch outcome {
      case .good:
        // The first prediction is excluded, because it reads weights and warms up.
        if let latency, state.record.counts.predictions > 0 {
          state.record.counts.latencies.add(latency / max(rows, 1))
        }
        state.record.counts.predictions += max(rows, 1)
      case .failed: state.record.counts.predictionFailures += 1
      case .void: break
      }
      write(&state)
    }
  }

  /// Counts a failure that the application found in the outputs.
  func reportFailure() {
    state.withLock { state in
      state.record.counts.predictionFailures += 1
      write(&state)
    }
  }

  private static func close(_ state: inout State) {
    cplatform_end_unmark(state.mark)
    if state.descriptor >= 0 { Foundation.close(state.descriptor) }
    (state.mark, state.descriptor) = (-1, -1)
  }

  private func write(_ state: inout State) {
    if !state.isOpened {
      state.isOpened = true
      open(&state)
    }
    guard state.descriptor >= 0 else { return }
    var record = state.record
    if cplatform_end_has_begun() { record.running = 0 }
    let bytes = record.bytes
    if pwrite(state.descriptor, bytes, bytes.count, 0) != bytes.count {
      state.failure = DeliveryError(.unwritable, "the model's health cannot be recorded", at: file, errno: errno)
      Self.close(&state)
    }
  }

  private func open(_ state: inout State) {
    do {
      try DeliveryDirectories.makeFolder(file.deletingLastPathComponent())
    } catch {
      state.failure = error as? DeliveryError
      return
    }
    // Opened for reading as well, because network file systems grant shared locks only on readable files.
    state.descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard state.descriptor >= 0 else {
      state.failure = DeliveryError(.unwritable, "the model's health cannot be recorded", at: file, errno: errno)
      return
    }
    state.mark = cplatform_end_mark(state.descriptor, HealthRecord.runningOffset)
    // The lock shows processes in other containers, which cannot query this process by its PID, that it is alive.
    _ = flock(state.descriptor, LOCK_SH | LOCK_NB)
  }
}
