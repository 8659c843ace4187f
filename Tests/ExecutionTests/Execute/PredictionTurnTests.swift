import CoreMLBase
import CoreMLKernels
import Foundation
import MIL
import Synchronization
import Testing

@testable import CoreMLExecution

/// Tasks that wait for their turn: their order, their ends, and the threads that they do not hold.
@Suite(.serialized) struct PredictionTurnTests {
  private let engine: Engine
  private let plan: Plan
  private var pool: SessionPool { engine.sessions }

  init() throws {
    engine = try SessionPoolTests.engine(limit: 1)
    plan = try engine.plan(for: engine.inputTypes)
  }

  /// Waits until `count` predictions are queued. False if that takes two minutes.
  private func stands(_ count: Int) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while pool.waiting != count, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
    return pool.waiting == count
  }

  private static func predict(
    _ engine: Engine, _ turn: PredictionTurn, on threads: PredictionThreads
  ) async throws -> [Double]? {
    try await threads.run { try turn.run { try SessionPoolTests.run(engine, 3) } }
  }

  @Test func tasksAndThreadsAreServedInOrder() async throws {
    let order = Mutex<[Int]>([])
    let (engine, pool, plan) = (engine, pool, plan)
    let first = try await engine.turn(Cancellation())
    let group = DispatchGroup()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<8 {
        if number % 3 == 1 {
          group.enter()
          Thread.detachNewThread {
            try? pool.with(plan, shouldStop: nil) { _ in order.withLock { $0.append(number) } }
            group.leave()
          }
        } else {
          tasks.addTask { @Sendable [engine] in
            let turn = try await engine.turn(Cancellation())
            turn.run { order.withLock { $0.append(number) } }
          }
        }
        #expect(try await stands(number + 1))
      }
      first.giveUp()
      try await tasks.waitForAll()
    }
    #expect(try await stands(0))
    await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    #expect(order.withLock { $0 } == Array(0..<8))
  }

  @Test func tasksThatWaitHoldNoThread() async throws {
    let threads = PredictionThreads(patience: 0.05)
    let most = Mutex(0)
    let first = try await engine.turn(Cancellation())
    try await withThrowingTaskGroup(of: [Double]?.self) { tasks in
      for _ in 0..<200 {
        tasks.addTask { @Sendable [engine] in
          let turn = try await engine.turn(Cancellation())
          most.withLock { $0 = max($0, threads.threads) }
          return try await Self.predict(engine, turn, on: threads)
        }
      }
      #expect(try await stands(200))
      #expect(threads.threads == 0)
      first.giveUp()
      for try await result in tasks { #expect(result == [6, 6]) }
    }
    // Threads that end their job and the one that begins the next may overlap.
    #expect(most.withLock { $0 } <= 20)
    let end = ContinuousClock.now + .seconds(60)
    while threads.threads > 0, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
    #expect(threads.threads == 0)
  }

  @Test func aWaitEndsWithItsCancellation() async throws {
    let first = try await engine.turn(Cancellation())
    let cancellation = Cancellation()
    let second = Task { [engine] in try await engine.turn(cancellation) }
    #expect(try await stands(1))
    cancellation.cancel()
    let error = await #expect(throws: RuntimeError.self) { _ = try await second.value }
    #expect(error?.code == .cancelled)
    #expect(pool.waiting == 0)
    // A cancellation before the wait ends it too, and so does the time of the prediction.
    await #expect(throws: RuntimeError.self) { _ = try await engine.turn(cancellation) }
    let watch = ContinuousClock.now
    await #expect(throws: RuntimeError.self) { _ = try await engine.turn(Cancellation(after: 0.2)) }
    #expect(ContinuousClock.now - watch >= .milliseconds(190))
    let polled = Atomic(0)
    await #expect(throws: RuntimeError.self) {
      _ = try await engine.turn(Cancellation { polled.add(1, ordering: .relaxed).newValue > 3 })
    }
    first.giveUp()
    try pool.with(plan, shouldStop: nil) { _ in }
  }

  /// A turn of another model is not used, and a turn that nothing used passes on.
  @Test func aTurnIsForOnePredictionOfItsModel() async throws {
    let other = try SessionPoolTests.engine(limit: 1)
    let turn = try await engine.turn(Cancellation())
    try turn.run {
      _ = try SessionPoolTests.run(other, 1)
      _ = try SessionPoolTests.run(engine, 1)
      // The turn is used up. The second prediction gets its own.
      _ = try SessionPoolTests.run(engine, 1)
    }
    let unused = try await engine.turn(Cancellation())
    unused.run {}
    try pool.with(plan, shouldStop: nil) { _ in }
  }

  @Test(arguments: [1 as UInt64, 2, 3]) func noTurnIsLost(seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    let threads = PredictionThreads(patience: 0.05)
    let finished = Atomic(0)
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<300 {
        let (kind, delay) = (random.next() % 4, random.next() % 3000)
        tasks.addTask { @Sendable [engine] in
          let cancellation = kind == 1 ? Cancellation(after: Double(delay) / 1e6) : Cancellation()
          if kind == 0 {
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(delay))) { cancellation.cancel() }
          }
          if let turn = try? await engine.turn(cancellation) {
            if kind == 2 { turn.run {} } else { _ = try? await Self.predict(engine, turn, on: threads) }
          }
          finished.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(finished.load(ordering: .relaxed) == 300)
    #expect(try await stands(0))
    // A turn that was granted to a task that had just stopped passes on a little later.
    let last = try await engine.turn(Cancellation(after: 60))
    #expect(try await Self.predict(engine, last, on: threads) == [6, 6])
  }

  private struct SplitMix {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
      return bits ^ (bits >> 31)
    }
  }
}
