import CoreMLDelivery
import Foundation
import Synchronization

/// SIGTERM and SIGINT. The first one ends the server in order, the second one at once.
final class EndingSignals: Sendable {
  private struct State {
    var isEnding = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  // Sendable: never changed after `init`.
  private nonisolated(unsafe) var sources: [any DispatchSourceSignal] = []

  init() {
    for number in [SIGTERM, SIGINT] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler { [weak self] in self?.received(number) }
      source.resume()
      sources.append(source)
    }
  }

  private func received(_ number: Int32) {
    // Models that still load or run do not count as failed.
    CleanShutdownMark.announce()
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
      guard !state.isEnding else { return nil }
      state.isEnding = true
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { _exit(128 + number) }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the first signal.
  func first() async {
    await withCheckedContinuation { continuation in
      let isEnding = state.withLock { state in
        if !state.isEnding { state.waiters.append(continuation) }
        return state.isEnding
      }
      if isEnding { continuation.resume() }
    }
  }
}
