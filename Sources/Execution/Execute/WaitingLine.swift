import Dispatch
import MIL

import class Foundation.NSLock

/// Those who wait for one thing, first come, first served: only who stands in front looks whether it is there, and is woken when it may be.
///
/// Everything is called with the owner's lock held.
struct WaitingLine {
  fileprivate final class Place: Sendable {
    let bell = DispatchSemaphore(value: 0)
  }

  fileprivate var places: [Place] = []

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  /// What is waited for may be there.
  func wake() { places.first?.bell.signal() }

  /// Waits until `isThere` holds and everybody who came before has gone; `lock` is free meanwhile.
  ///
  /// - Parameters:
  ///   - line: the line in its owner, which others change while this waits.
  ///   - shouldStop: asked now and then, beside the thread's cancellation.
  /// - Throws: `RuntimeError` of code `.cancelled`.
  static func wait<Owner: AnyObject>(
    in line: ReferenceWritableKeyPath<Owner, WaitingLine>, of owner: Owner, _ lock: NSLock,
    _ shouldStop: (() -> Bool)?, until isThere: () -> Bool
  ) throws {
    guard !owner[keyPath: line].isEmpty || !isThere() else { return }
    let cancellation = Cancellation.current
    let place = Place()
    owner[keyPath: line].places.append(place)
    defer {
      owner[keyPath: line].places.removeAll { $0 === place }
      // There may be enough for the next, too.
      owner[keyPath: line].wake()
    }
    func stand() throws {
      while owner[keyPath: line].places.first !== place || !isThere() {
        lock.unlock()
        let isStopped = cancellation?.isCancelled == true || shouldStop?() == true
        if !isStopped { place.sleep(cancellation?.patience, asks: shouldStop != nil) }
        lock.lock()
        guard isStopped else { continue }
        throw RuntimeError(.cancelled, "the prediction was stopped while it waited for others of its model")
      }
    }
    guard let cancellation else { return try stand() }
    try cancellation.telling({ place.bell.signal() }, stand)
  }
}

extension WaitingLine.Place {
  /// Until the bell rings, or it is time to ask again.
  fileprivate func sleep(_ patience: Duration?, asks: Bool) {
    guard let longest = [patience, asks ? Cancellation.pause : nil].compactMap({ $0 }).min() else { return bell.wait() }
    _ = bell.wait(timeout: .now() + longest / .seconds(1))
  }
}
