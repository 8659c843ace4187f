import CoreMLKernels
import Foundation
import MIL

/// The sessions of an engine's plans: so many run at once, one prediction more waits; some that are idle are kept for what comes.
final class SessionPool: @unchecked Sendable {  // everything is behind the condition's lock
  /// Predictions that run at once.
  let limit: Int
  private let condition = NSCondition()
  private var running = 0
  /// Sessions that predictions have, and how many have been given back.
  private var taken = 0
  private var returned = 0
  /// The one used last comes last.
  private var idle: [Session] = []

  init(limit: Int) { self.limit = max(limit, 1) }

  /// Seconds after which one who waits asks whether it is still wanted.
  private static let pause = 0.01

  /// Runs `body` with a session of the plan that is its own meanwhile. A session whose run failed is not used again: its devices may
  /// still be at work.
  func with<Result>(
    _ plan: Plan, shouldStop: () -> Bool, _ body: (Session) throws -> Result
  ) throws -> Result {
    try begin(shouldStop)
    defer { end() }
    let session = try take(plan, shouldStop)
    do {
      let result = try body(session)
      give(session)
      return result
    } catch {
      give(nil)
      throw error
    }
  }

  /// Lets go of the sessions that no prediction has, all of them or those of one plan; gives their number.
  @discardableResult
  func dropIdle(of plan: Plan? = nil) -> Int {
    condition.lock()
    let dropped = idle.filter { plan == nil || $0.plan === plan }
    idle.removeAll { plan == nil || $0.plan === plan }
    condition.unlock()
    // They end here, outside of the lock: a device's may wait for its queue.
    return dropped.count
  }

  // MARK: turns

  private func begin(_ shouldStop: () -> Bool) throws {
    condition.lock()
    defer { condition.unlock() }
    try wait(shouldStop) { running < limit }
    running += 1
  }

  private func end() {
    condition.lock()
    running -= 1
    condition.broadcast()
    condition.unlock()
  }

  /// Call with the lock held; it is free while this waits.
  private func wait(_ shouldStop: () -> Bool, until isDone: () -> Bool) throws {
    while !isDone() {
      _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause))
      if !isDone(), shouldStop() {
        throw RuntimeError(.cancelled, "the prediction was stopped while it waited for others of its model")
      }
    }
  }

  // MARK: sessions

  private func take(_ plan: Plan, _ shouldStop: () -> Bool) throws -> Session {
    while true {
      let (kept, before) = kept(plan)
      if let kept { return kept }
      do {
        return try Session(plan: plan)
      } catch  where Self.isShortage(error) {
        // What others of the model have is soon there again.
        give(nil)
        guard try dropIdle() > 0 || waitForAnother(since: before, shouldStop) else { throw error }
      } catch {
        give(nil)
        throw error
      }
    }
  }

  /// An idle session of the plan, or the right to make one.
  private func kept(_ plan: Plan) -> (session: Session?, returned: Int) {
    condition.lock()
    defer { condition.unlock() }
    taken += 1
    guard let place = idle.lastIndex(where: { $0.plan === plan }) else { return (nil, returned) }
    return (idle.remove(at: place), returned)
  }

  /// Waits until a session was given back after there had been `count`; false when none will be.
  private func waitForAnother(since count: Int, _ shouldStop: () -> Bool) throws -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard taken > 0 || returned != count else { return false }
    try wait(shouldStop) { returned != count || taken == 0 }
    return returned != count
  }

  /// Takes a session back; nil for one that is not used again, or that could not be made.
  private func give(_ session: Session?) {
    var dropped: Session?
    condition.lock()
    taken -= 1
    if let session {
      returned += 1
      idle.append(session)
      // The one that waited longest goes.
      if idle.count > limit { dropped = idle.removeFirst() }
    }
    condition.broadcast()
    condition.unlock()
    withExtendedLifetime(dropped) {}
  }

  private static func isShortage(_ error: any Error) -> Bool {
    let cause = (error as? DeviceFailure)?.cause ?? error
    return [KernelError.Code.openCLMemory, .outOfMemory].contains((cause as? KernelError)?.code)
      || (cause as? MILError)?.code == .outOfMemory
  }
}
