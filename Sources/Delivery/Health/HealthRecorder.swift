import CPlatform
import Foundation
import Synchronization

/// What this process counts of one model while it has it loaded, in a file of its own.
///
/// Every beginning and end is written at once, with one call: what was counted is there whatever ends the process, and a load or prediction
/// that began and never ended tells that the process died in it, unless it ended in order (``CleanShutdownMark``). The file is not made durable: a
/// machine that loses power loses some counts.
final class HealthRecorder: Sendable {
  enum Outcome {
    case good
    case failed
    /// Says nothing of the model: cancelled.
    case void
  }

  private struct State {
    var record = HealthRecord()
    var descriptor: Int32 = -1
    /// Where the file says that something runs, for an orderly end of the process.
    var mark: Int32 = -1
    var isOpened = false
    var failure: DeliveryError?
  }

  private let file: URL
  private let state = Mutex(State())

  /// - Parameter folder: of the model's health; the file in it appears with the first load.
  init(in folder: URL) {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    file = folder.appending(path: "\(PartialOwner.current.token)~\(random).\(HealthStore.recordExtension)")
  }

  deinit {
    state.withLock { Self.close(&$0) }
  }

  /// What this process has counted.
  var counts: HealthCounts { state.withLock { $0.record.counts } }

  /// Why what is counted cannot be written, told once; the counts of this process hold all the same.
  func takeFailure() -> DeliveryError? {
    state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
  }

  /// A load or a prediction begins.
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
  ///   - latency: nil where it says nothing of the model.
  ///   - rows: how many predictions were made in one, where there were several.
  func endPrediction(_ outcome: Outcome, latency: Duration?, rows: Int = 1) {
    state.withLock { state in
      state.record.running -= 1
      switch outcome {
      case .good:
        // The first one reads weights and warms up.
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

  /// A failure that the model's user found in its outputs.
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
    // To be read, too: file systems of networks lock for several only what is.
    state.descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard state.descriptor >= 0 else {
      state.failure = DeliveryError(.unwritable, "the model's health cannot be recorded", at: file, errno: errno)
      return
    }
    state.mark = cplatform_end_mark(state.descriptor, HealthRecord.runningOffset)
    // Tells other containers that this process lives, where they cannot ask for it by its number.
    _ = flock(state.descriptor, LOCK_SH | LOCK_NB)
  }
}
