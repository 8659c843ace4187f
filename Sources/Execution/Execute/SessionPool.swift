import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// The sessions of an engine's plans. At most `limit` predictions run concurrently; others wait in FIFO order. Idle
/// sessions are kept for reuse.
///
/// A nested prediction, for example in a custom layer, never waits. Otherwise it could wait for the turn or memory of
/// the prediction that contains it.
final class SessionPool: @unchecked Sendable {  // all state is behind the lock
  /// The number of predictions that run concurrently.
  let limit: Int
  private let lock = NSLock()
  private var running = 0
  /// The number of sessions in use, and the number returned so far.
  private var taken = 0
  private var returned = 0
  /// Sorted by last use, most recent last.
  private var idle: [Session] = []
  /// `turns` has predictions that wait for their turn. `shortages` has predictions with a turn that wait for another
  /// session's memory.
  private var turns = AdmissionQueue()
  private var shortages = AdmissionQueue()

  init(limit: Int) { self.limit = max(limit, 1) }

  /// The pools in which the current thread holds turns.
  @TaskLocal private static var outer: [ObjectIdentifier] = []

  /// The maximum nesting depth of predictions of one model.
  static let maximumDepth = 8

  /// Runs `body` with exclusive use of a session of the plan. A session whose run failed is never reused. Its devices
  /// may still be running commands, and the pool does not wait for them.
  func with<Result>(
    _ plan: Plan, shouldStop: (() -> Bool)?, _ body: (Session) throws -> Result
  ) throws -> Result {
    try with(plan, upTo: 1, shouldStop: shouldStop) { sessions in try body(sessions[0]) }
  }

  /// Runs `body` with one to `count` sessions, which use one turn. Sessions after the first are added only if they are
  /// idle or if memory for them is available.
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
    defer { endTurn() }
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

  /// The number of predictions that wait for their turn.
  var waiting: Int { lock.withLock { turns.count } }

  /// Releases all idle sessions, or those of one plan. Returns their number.
  @discardableResult
  func dropIdle(of plan: Plan? = nil) -> Int {
    lock.lock()
    let dropped = idle.filter { plan == nil || $0.plan === plan }
    idle.removeAll { plan == nil || $0.plan === plan }
    lock.unlock()
    // The sessions are deallocated here, outside of the lock, since a device session may wait for its queue.
    return dropped.count
  }

  // MARK: turns

  private func begin(_ shouldStop: (() -> Bool)?, isNested: Bool) throws {
    if !isNested, PredictionTurn.current?.use(for: self) == true { return }
    lock.lock()
    defer { lock.unlock() }
    guard !isNested else { return running += 1 }
    try AdmissionQueue.wait(in: \.turns, of: self, lock, shouldStop, take: takeTurn, takeForTask: takeTurn)
  }

  /// Counts a running prediction, if another may run. The lock is held.
  private func takeTurn() -> Bool {
    guard running < limit else { return false }
    running += 1
    return true
  }

  /// Ends a prediction, or a turn that nothing has used.
  func endTurn() {
    lock.withLock {
      running -= 1
      turns.wake(takeTurn)
    }
  }

  /// Adds a task that waits for its turn. It may be admitted at once.
  func enqueue(_ waiter: AdmissionQueue.Waiter) {
    lock.withLock {
      turns.append(waiter)
      if turns.count == 1 { turns.wake(takeTurn) }
    }
  }

  /// Removes a task that no longer waits.
  func dequeue(_ waiter: AdmissionQueue.Waiter) {
    lock.withLock {
      // Those behind it may be able to run.
      if turns.remove(waiter) { turns.wake(takeTurn) }
    }
  }

  // MARK: sessions

  private func take(_ plan: Plan, _ shouldStop: (() -> Bool)?, isNested: Bool) throws -> Session {
    while true {
      let (kept, before) = kept(plan)
      do {
        guard let kept else { return try Session(plan: plan) }
        if kept.plan !== plan { try kept.rebind(to: plan) }
        return kept
      } catch  where error.isShortage {
        // The memory of the model's other sessions is likely to become free soon.
        give(nil)
        if dropIdle() > 0 { continue }
        guard try !isNested && waitForAnother(since: before, shouldStop) else { throw error }
      } catch {
        give(nil)
        throw error
      }
    }
  }

  /// A session that is available without freeing other memory.
  private func takeSpare(_ plan: Plan) -> Session? {
    if let kept = kept(plan).session {
      if kept.plan === plan || (try? kept.rebind(to: plan)) != nil { return kept }
    } else if let made = try? Session(plan: plan) {
      return made
    }
    give(nil)
    return nil
  }

  /// An idle session of the plan or of another one of its family, or nil and the right to create one.
  private func kept(_ plan: Plan) -> (session: Session?, returned: Int) {
    lock.withLock {
      taken += 1
      guard DeviceClock.current == nil else { return (nil, returned) }
      let own = idle.lastIndex { $0.plan === plan }
      guard let place = own ?? idle.lastIndex(where: { plan.family != nil && $0.plan.family === plan.family }) else {
        return (nil, returned)
      }
      return (idle.remove(at: place), returned)
    }
  }

  /// Waits until the number of returned sessions differs from `count`. Returns false if no session is in use.
  private func waitForAnother(since count: Int, _ shouldStop: (() -> Bool)?) throws -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard taken > 0 || returned != count else { return false }
    try AdmissionQueue.wait(
      in: \.shortages, of: self, lock, shouldStop, take: { returned != count || taken == 0 }, takeForTask: { false })
    return returned != count
  }

  /// Returns a session to the pool. Pass nil for a session that is not reused, or that could not be created.
  private func give(_ session: Session?) {
    var dropped: Session?
    lock.lock()
    taken -= 1
    if let session, DeviceClock.current == nil {
      returned += 1
      idle.append(session)
      // Drop the session that has been idle for longest.
      if idle.count > limit { dropped = idle.removeFirst() }
    }
    shortages.wake { false }
    lock.unlock()
    withExtendedLifetime(dropped) {}
  }
}
