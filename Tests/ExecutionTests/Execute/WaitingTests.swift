import CoreMLBase
import CoreMLKernels
import Foundation
import MIL
import Synchronization
import Testing

@testable import CoreMLExecution

/// Predictions that wait for others: their order, their timeouts, and those that must not wait.
@Suite(.serialized) struct WaitingTests {
  private let pool = SessionPool(limit: 1)
  private let plan: Plan

  init() throws {
    let engine = try SessionPoolTests.engine(limit: 1)
    plan = try engine.plan(for: engine.inputTypes)
  }

  /// Waits until `count` predictions are queued. False if that takes two minutes.
  private func stands(_ count: Int) -> Bool {
    let end = Date(timeIntervalSinceNow: 120)
    while pool.waiting != count, Date() < end { usleep(200) }
    return pool.waiting == count
  }

  @Test func firstComeFirstServed() throws {
    let order = Mutex<[Int]>([])
    let group = DispatchGroup()
    let (pool, plan) = (pool, plan)
    try pool.with(plan, shouldStop: nil) { _ in
      for number in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          try? pool.with(plan, shouldStop: nil) { _ in order.withLock { $0.append(number) } }
          group.leave()
        }
        #expect(stands(number + 1))
      }
    }
    group.wait()
    #expect(order.withLock { $0 } == Array(0..<8))
    #expect(pool.waiting == 0)
  }

  /// A waiting prediction does not poll: a cancellation wakes it.
  @Test func whoIsCancelledWhileWaitingIsWoken() throws {
    let cancellation = Cancellation()
    let outcome = Mutex<RuntimeError?>(nil)
    let group = DispatchGroup()
    let (pool, plan) = (pool, plan)
    try pool.with(plan, shouldStop: nil) { _ in
      group.enter()
      Thread.detachNewThread {
        do { try cancellation.during { try pool.with(plan, shouldStop: nil) { _ in } } } catch {
          outcome.withLock { [error = error as? RuntimeError] in $0 = error }
        }
        group.leave()
      }
      #expect(stands(1))
      cancellation.cancel()
      #expect(group.wait(timeout: .now() + 120) == .success)
    }
    #expect(outcome.withLock { $0?.code } == .cancelled)
    // A prediction that has left the queue passes its session to the next one.
    try pool.with(plan, shouldStop: nil) { _ in }
  }

  @Test func waitingEndsWithTheTimeOfThePrediction() throws {
    let (pool, plan) = (pool, plan)
    let seconds = Mutex<Double?>(nil)
    let group = DispatchGroup()
    try pool.with(plan, shouldStop: nil) { _ in
      group.enter()
      Thread.detachNewThread {
        let watch = Date()
        do { try Cancellation(after: 0.2).during { try pool.with(plan, shouldStop: nil) { _ in } } } catch {
          seconds.withLock { $0 = -watch.timeIntervalSinceNow }
        }
        group.leave()
      }
      #expect(group.wait(timeout: .now() + 120) == .success)
    }
    let waited = try #require(seconds.withLock { $0 })
    #expect(waited >= 0.19)
  }

  // MARK: nested predictions

  @Test func aPredictionWithinItsOwnDoesNotWaitForItself() throws {
    var depth = 0
    try pool.with(plan, shouldStop: nil) { outer in
      try pool.with(plan, shouldStop: nil) { inner in
        #expect(inner !== outer)
        depth = 2
      }
    }
    #expect(depth == 2)
  }

  /// Two models with one session each. Each model predicts with the other.
  @Test func modelsThatPredictWithEachOtherDoNotWaitForEachOther() throws {
    let other = SessionPool(limit: 1)
    let (pool, plan) = (pool, plan)
    let inside = Atomic(0)
    let group = DispatchGroup()
    for (first, second) in [(pool, other), (other, pool)] {
      group.enter()
      Thread.detachNewThread {
        try? first.with(plan, shouldStop: nil) { _ in
          inside.add(1, ordering: .relaxed)
          let end = Date(timeIntervalSinceNow: 120)
          while inside.load(ordering: .relaxed) < 2, Date() < end { usleep(200) }
          try second.with(plan, shouldStop: nil) { _ in }
        }
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + 120) == .success)
  }

  // MARK: the machine's memory

  @Test func modelsOfAMachineShareItsMemory() throws {
    let memory = MemoryBudget(limit: 1 << 20)
    let machine = DeviceManager(processors: 1, memory: memory)
    func engine() throws -> Engine {
      Engine(
        function: try FusionTests.main("(tensor<fp32, [?]> x) { tensor<fp32, [?]> y = exp(x = x); } -> (y)"),
        devices: DeviceChoice(threads: 1, on: machine))
    }
    func run(_ engine: Engine, _ count: Int) throws -> Int? {
      try EngineTests.run(engine, ["x": Tensor.zeros(.float32, shape: [count])])["y"]?.count
    }
    let (one, two) = (try engine(), try engine())
    #expect(one.budget === memory && two.onCPU.budget === memory)
    #expect(try run(one, 100_000) == 100_000)
    #expect(memory.bytesHeld >= 400_000)
    // The runtime frees the other model's idle session. A prediction too large for the whole memory is refused.
    #expect(try run(two, 100_000) == 100_000)
    let error = #expect(throws: MILError.self) { try run(two, 1_000_000) }
    #expect(error?.code == .outOfMemory && error?.message.contains("1.0 MB") == true)
  }
}
