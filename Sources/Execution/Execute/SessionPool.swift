import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// The sessions of an engine's plans: so many run at once, others wait in the order in which they came; some that are idle are kept for
/// what comes.
///
/// A prediction within a prediction, such as that of a custom layer, never waits: what it would wait for may be the turn, or the memory, of
/// the one around it.
final class SessionPool: @unchecked Sendable {  // everything is behind the lock
  /// Predictions that run at once.
  let limit: Int
  private let lock = NSLock()
  private var running = 0
  /// Sessions that predictions have, and how many have been given back.
  private var taken = 0
  private var returned = 0
  /// The one used last comes last.
  private var idle: [Session] = []
  /// Those who wait for their turn, and those who have it and wait for the memory of another's session.
  private var turns = AdmissionQueue()
  private var shortages = AdmissionQueue()

  init(limit: Int) { self.limit = max(limit, 1) }

  /// The pools that the current thread has turns of.
  @TaskLocal private static var outer: [ObjectIdentifier] = []

  /// Predictions of one model within each other.
  static let maximumDepth = 8

  /// Runs `body` with a session of the plan that is its own meanwhile. A session whose run failed is not used again: its devices may
  /// still be at work, and nobody waits for that, whatever the error.
  func with<Result>(
    _ plan: Plan, shouldStop: (() -> Bool)?, _ body: (Session) throws -> Result
  ) throws -> Result {
    try with(plan, upTo: 1, shouldStop: shouldStop) { sessions in try body(sessions[0]) }
  }

  /// Runs `body` with one to `count` sessions, which take one turn: all but the first only where they are idle or there is memory for them.
  func with<Result>(
    _ plan: Plan, upTo count: Int, shouldStop: (() -> Bool)?, _ body: ([Session]) throws -> Result
  ) throws -> Result {
    let outer = Self.outer
    let depth = outer.count { $0 == ObjectIdentifier(self) }
    guard depth < Self.maximumDepth else {
      throw RuntimeError(
        .evaluation,
        "a prediction of the model began within itself, \(depth) deep: code of the application predicts with it")
    }
    try begin(shouldStop, isNested: !outer.isEmpty)
    defer { end() }
    return try Self.$outer.withValue(outer + [ObjectIdentifier(self)]) {
      var sessions = [try take(plan, shouldStop, isNested: !outer.isEmpty)]
      while sessions.count < count, let spare = takeSpare(plan) { sessions.append(spare) }
      do {
        let result = try body(sessions)
        for session in sessions { give(session) }
        return result
      } catch {
        for session in sessions {
          give(nil)
          if session.isBusy { RetiredSessions.retire(session) }
        }
        throw error
      }
    }
  }

  /// Predictions that wait for their turn.
  var waiting: Int { lock.withLock { turns.count } }

  /// Lets go of the sessions that no prediction has, all of them or those of one plan; gives their number.
  @discardableResult
  func dropIdle(of plan: Plan? = nil) -> Int {
    lock.lock()
    let dropped = idle.filter { plan == nil || $0.plan === plan }
    idle.removeAll { plan == nil || $0.plan === plan }
    lock.unlock()
    // They end here, outside of the lock: a device's may wait for its queue.
    return dropped.count
  }

  // MARK: turns

  private func begin(_ shouldStop: (() -> Bool)?, isNested: Bool) throws {
    lock.lock()
    defer { lock.unlock() }
    if !isNested { try AdmissionQueue.wait(in: \.turns, of: self, lock, shouldStop) { running < limit } }
    running += 1
  }

  private func end() {
    lock.withLock {
      running -= 1
      turns.wake()
    }
  }

  // MARK: sessions

  private func take(_ plan: Plan, _ shouldStop: (() -> Bool)?, isNested: Bool) throws -> Session {
    while true {
      let (kept, before) = kept(plan)
      if let kept { return kept }
      do {
        return try Session(plan: plan)
      } catch  where error.isShortage {
        // What others of the model have is soon there again.
        give(nil)
        if dropIdle() > 0 { continue }
        guard try !isNested && waitForAnother(since: before, shouldStop) else { throw error }
      } catch {
        give(nil)
        throw error
      }
    }
  }

  /// A session that nobody has to give anything up for.
  private func takeSpare(_ plan: Plan) -> Session? {
    if let kept = kept(plan).session { return kept }
    if let made = try? Session(plan: plan) { return made }
    give(nil)
    return nil
  }

  /// An idle session of the plan, or the right to make one.
  private func kept(_ plan: Plan) -> (session: Session?, returned: Int) {
    lock.withLock {
      taken += 1
      guard DeviceClock.current == nil else { return (nil, returned) }
      guard let place = idle.lastIndex(where: { $0.plan === plan }) else { return (nil, returned) }
      return (idle.remove(at: place), returned)
    }
  }

  /// Waits until a session was given back after there had been `count`; false when none will be.
  private func waitForAnother(since count: Int, _ shouldStop: (() -> Bool)?) throws -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard taken > 0 || returned != count else { return false }
    try AdmissionQueue.wait(in: \.shortages, of: self, lock, shouldStop) { returned != count || taken == 0 }
    return returned != count
  }

  /// Takes a session back; nil for one that is not used again, or that could not be made.
  private func give(_ session: Session?) {
    var dropped: Session?
    lock.lock()
    taken -= 1
    if let session, DeviceClock.current == nil {
      returned += 1
      idle.append(session)
      // The one that waited longest goes.
      if idle.count > limit { dropped = idle.removeFirst() }
    }
    shortages.wake()
    lock.unlock()
    withExtendedLifetime(dropped) {}
  }
}
