import CoreMLBase
import CoreMLKernels
import Foundation
import MIL
import Synchronization
import Testing

@testable import CoreMLExecution

/// How many predictions of a model run concurrently, and how the others wait.
@Suite struct SessionPoolTests {
  /// Blocks a prediction until it is opened.
  final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: 0))

    var waiting: Int { state.withLock { $0.waiting } }

    func open() { state.withLock { $0.isOpen = true } }

    func pass() {
      state.withLock { $0.waiting += 1 }
      while !state.withLock({ $0.isOpen }) { usleep(200) }
    }

    /// False if fewer than `count` predictions arrive within two minutes.
    func isReached(by count: Int) -> Bool {
      let end = Date(timeIntervalSinceNow: 120)
      while waiting < count, Date() < end { usleep(200) }
      return waiting >= count
    }
  }

  static func engine(limit: Int) throws -> Engine {
    Engine(
      function: try FusionTests.main(DeviceManagerTests.double), devices: DeviceChoice(threads: 1), sessionLimit: limit)
  }

  static func run(_ engine: Engine, _ value: Float, stop: @escaping () -> Bool = { false }) throws -> [Double]? {
    try engine.run(
      ["x": .tensor(Tensor(float32: [value, value], shape: [2]))], states: StateBuffers(types: [:]), shouldStop: stop
    ) { try $0.first?.value.tensor?.doubles() }
  }

  @Test func noMoreThanTheLimitRunAtOnce() throws {
    let engine = try Self.engine(limit: 3)
    let running = Atomic(0)
    let most = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 12) { caller in
      for round in 0..<20 {
        let value = Float(caller * 100 + round)
        let result = try? engine.run(
          ["x": .tensor(Tensor(float32: [value, value], shape: [2]))], states: StateBuffers(types: [:]),
          shouldStop: { false }
        ) { values -> [Double]? in
          let now = running.add(1, ordering: .relaxed).newValue
          most.max(now, ordering: .relaxed)
          usleep(300)
          running.subtract(1, ordering: .relaxed)
          return try values.first?.value.tensor?.doubles()
        }
        #expect(result == [Double(2 * value), Double(2 * value)])
      }
    }
    #expect(most.load(ordering: .relaxed) <= 3)
  }

  @Test func whoWaitsCanBeStoppedAndOthersGoOn() throws {
    let engine = try Self.engine(limit: 1)
    let gate = Gate()
    let group = DispatchGroup()
    let results = Mutex<[[Double]?]>([])
    let isFirst = Atomic(true)
    let step: @Sendable () -> Bool = {
      if isFirst.exchange(false, ordering: .relaxed) { gate.pass() }
      return false
    }
    DispatchQueue.global().async(group: group) {
      let result = try? Self.run(engine, 1, stop: step)
      results.withLock { $0.append(result) }
    }
    #expect(gate.isReached(by: 1))
    // The only session is in use. This prediction waits and is cancelled. Without the check it would wait forever.
    let error = #expect(throws: RuntimeError.self) { try Self.run(engine, 2, stop: { true }) }
    #expect(error?.code == .cancelled)
    DispatchQueue.global().async(group: group) {
      let result = try? Self.run(engine, 3)
      results.withLock { $0.append(result) }
    }
    gate.open()
    group.wait()
    #expect(results.withLock { $0.compactMap { $0?.first }.sorted() } == [2, 6])
  }

  @Test func aFailedPredictionGivesItsTurnBack() throws {
    let engine = try Self.engine(limit: 1)
    struct Odd: Error {}
    for _ in 0..<3 {
      #expect(throws: RuntimeError.self) { try Self.run(engine, 1, stop: { true }) }
      #expect(throws: Odd.self) {
        try engine.run(
          ["x": .tensor(Tensor(float32: [1, 1], shape: [2]))], states: StateBuffers(types: [:]), shouldStop: { false }
        ) { _ in throw Odd() }
      }
    }
    #expect(try Self.run(engine, 4) == [8, 8])
  }

  /// A session is reused after a successful prediction, and not after a failed one.
  @Test func aSessionWhoseRunFailedIsNotUsedAgain() throws {
    let engine = try Self.engine(limit: 2)
    let pool = SessionPool(limit: 2)
    let plan = try engine.plan(for: engine.inputTypes)
    struct Odd: Error {}
    weak var first: Session?
    try pool.with(plan, shouldStop: { false }) { first = $0 }
    #expect(first != nil)
    try pool.with(plan, shouldStop: { false }) { #expect($0 === first) }
    #expect(throws: Odd.self) { try pool.with(plan, shouldStop: { false }) { _ in throw Odd() } }
    #expect(first == nil)
  }

  @Test func idleSessionsAreKeptUpToTheLimit() throws {
    let pool = SessionPool(limit: 2)
    let engine = try Self.engine(limit: 2)
    let plans = try (0..<3).map { _ in
      try Engine(function: engine.function, devices: DeviceChoice(threads: 1)).plan(for: engine.inputTypes)
    }
    for plan in plans { try pool.with(plan, shouldStop: { false }) { _ in } }
    #expect(pool.dropIdle(of: plans[0]) == 0)
    #expect(pool.dropIdle(of: plans[2]) == 1)
    #expect(pool.dropIdle() == 1)
    #expect(pool.dropIdle() == 0)
  }

  @Test func plansThatGoTakeTheirSessionsWithThem() throws {
    let engine = Engine(
      function: try FusionTests.main("(tensor<fp32, [?]> x) { tensor<fp32, [?]> y = square(x = x); } -> (y)"),
      devices: DeviceChoice(threads: 1), sessionLimit: 64)
    weak var first: Plan?
    for size in 1...20 {
      #expect(
        try EngineTests.run(engine, ["x": Tensor(float32: [Float](repeating: 3, count: size), shape: [size])])["y"]?
          .first == 9)
      if size == 1 { first = engine.planUsedLast }
    }
    #expect(first == nil)
  }
}
