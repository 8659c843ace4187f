import CoreMLServing
import CoreMLServingInterface
import Foundation
import Synchronization
import Testing

@Suite struct SchedulerTests {
  private func run(_ scheduler: Scheduler, _ request: PreparedRequest, _ key: ModelKey) async -> Result<
    ScheduledAnswer, ServingError
  > {
    do throws(ServingError) { return .success(try await scheduler.run(request, on: key)) } catch {
      return .failure(error)
    }
  }

  private func code(_ result: Result<ScheduledAnswer, ServingError>) -> ServingError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  /// Waits until a condition holds; records an issue after ten seconds.
  private func until(_ condition: () -> Bool) async {
    for _ in 0..<10_000 {
      if condition() { return }
      try? await Task.sleep(for: .milliseconds(1))
    }
    Issue.record("The condition did not become true.")
  }

  @Test func eachRequestGetsItsOwnAnswer() async {
    let scheduler = Scheduler()
    let model = SleepingModel(seconds: 0.000_2, usefulBatch: 8)
    let key = scheduler.add(model, name: "m", settings: QueueSettings(maximumWait: 60))
    await withTaskGroup(of: Bool.self) { group in
      for value in 0..<400 {
        group.addTask { [self] in
          guard case .success(let answer) = await run(scheduler, SleepingModel.request(value), key) else {
            return false
          }
          return SleepingModel.value(answer) == value
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    #expect(model.runs.withLock { $0.reduce(0, +) } == 400)
    #expect(model.runs.withLock { $0.contains { $0 > 1 } && $0.allSatisfy { $0 <= 8 } })
  }

  @Test func aBadRowFailsAlone() async {
    let scheduler = Scheduler()
    let gate = DispatchSemaphore(value: 0)
    let model = SleepingModel(usefulBatch: 8, gate: gate)
    let key = scheduler.add(model, name: "m", settings: QueueSettings(maximumWait: 60))
    async let first = run(scheduler, SleepingModel.request(0), key)
    await until { scheduler.load(of: key).running == 1 }
    let tasks = (1...5).map { value in
      Task { [self] in await run(scheduler, SleepingModel.request(value, bad: value == 3), key) }
    }
    await until { scheduler.load(of: key).waiting == 5 }
    for _ in 0..<16 { gate.signal() }
    #expect(code(await first) == nil)
    for (value, task) in zip(1..., tasks) {
      let result = await task.value
      if value == 3 {
        #expect(code(result) == .invalidArgument)
      } else {
        #expect((try? result.get()).flatMap(SleepingModel.value) == value)
      }
    }
    #expect(model.runs.withLock { $0 } == [1, 5, 1, 1, 1, 1, 1])
  }

  @Test func cancellingLeavesTheQueueAtOnce() async {
    let scheduler = Scheduler()
    let gate = DispatchSemaphore(value: 0)
    let model = SleepingModel(gate: gate)
    let key = scheduler.add(model, name: "m", settings: QueueSettings(maximumWait: 60))
    async let first = run(scheduler, SleepingModel.request(0), key)
    await until { scheduler.load(of: key).running == 1 }
    let waiting = Task { [self] in await run(scheduler, SleepingModel.request(1), key) }
    await until { scheduler.load(of: key).waiting == 1 }
    waiting.cancel()
    #expect(code(await waiting.value) == .cancelled)
    #expect(scheduler.load(of: key).waiting == 0)
    gate.signal()
    #expect(code(await first) == nil)
    #expect(model.runs.withLock { $0 } == [1])
  }

  @Test func cancellingStopsARunThatNobodyElseShares() async {
    let scheduler = Scheduler()
    let model = SleepingModel(seconds: 30)
    let key = scheduler.add(model, name: "m")
    let task = Task { [self] in await run(scheduler, SleepingModel.request(1), key) }
    await until { scheduler.load(of: key).running == 1 }
    task.cancel()
    #expect(code(await task.value) == .cancelled)
    await until { scheduler.load(of: key).running == 0 }
    #expect(model.stopped.load(ordering: .relaxed) == 1)
  }

  @Test func aSharedRunGoesOnForTheOthers() async {
    let scheduler = Scheduler()
    let gate = DispatchSemaphore(value: 0)
    let model = SleepingModel(usefulBatch: 2, gate: gate)
    let key = scheduler.add(model, name: "m", settings: QueueSettings(maximumWait: 60))
    async let first = run(scheduler, SleepingModel.request(0), key)
    await until { scheduler.load(of: key).running == 1 }
    let pair = (1...2).map { value in Task { [self] in await run(scheduler, SleepingModel.request(value), key) } }
    await until { scheduler.load(of: key).waiting == 2 }
    gate.signal()
    _ = await first
    await until { scheduler.load(of: key).running == 2 }
    pair[0].cancel()
    #expect(code(await pair[0].value) == .cancelled)
    gate.signal()
    #expect((try? await pair[1].value.get()).flatMap(SleepingModel.value) == 2)
    #expect(model.stopped.load(ordering: .relaxed) == 0)
  }

  @Test func anExpiredRequestNeverRuns() async {
    let scheduler = Scheduler()
    let gate = DispatchSemaphore(value: 0)
    let model = SleepingModel(gate: gate)
    let key = scheduler.add(model, name: "m", settings: QueueSettings(maximumWait: 60))
    async let first = run(scheduler, SleepingModel.request(0), key)
    await until { scheduler.load(of: key).running == 1 }
    // It is answered at its deadline although the slot is still taken.
    let late = await run(scheduler, SleepingModel.request(1, deadline: .milliseconds(30)), key)
    #expect(code(late) == .deadlineExceeded)
    gate.signal()
    #expect(code(await first) == nil)
    #expect(model.runs.withLock { $0 } == [1])
  }

  @Test func requestsOfASequenceRunInOrder() async {
    var settings = SchedulerSettings()
    settings.slots = 3
    let scheduler = Scheduler(settings)
    let model = SleepingModel(seconds: 0.01, usefulBatch: 8)
    let key = scheduler.add(model, name: "m", settings: QueueSettings(maximumWait: 60))
    let bucket = Bucket(sequence: "s")
    let ends = await withTaskGroup(of: (Int, ContinuousClock.Instant).self) { group in
      for value in 0..<6 {
        group.addTask { [self] in
          _ = await run(scheduler, SleepingModel.request(value, bucket: bucket), key)
          return (value, ContinuousClock.now)
        }
        try? await Task.sleep(for: .milliseconds(2))
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(model.runs.withLock { $0 } == [1, 1, 1, 1, 1, 1])
    #expect(ends.sorted { $0.1 < $1.1 }.map(\.0) == [0, 1, 2, 3, 4, 5])
  }

  @Test func removingAModelFailsItsWaitingRequests() async {
    let scheduler = Scheduler()
    let gate = DispatchSemaphore(value: 0)
    let key = scheduler.add(SleepingModel(gate: gate), name: "m", settings: QueueSettings(maximumWait: 60))
    async let first = run(scheduler, SleepingModel.request(0), key)
    await until { scheduler.load(of: key).running == 1 }
    async let second = run(scheduler, SleepingModel.request(1), key)
    await until { scheduler.load(of: key).waiting == 1 }
    scheduler.remove(key)
    #expect(code(await second) == .unavailable)
    gate.signal()
    #expect(code(await first) == nil)
    #expect(code(await run(scheduler, SleepingModel.request(2), key)) == .unavailable)
  }

  /// Cancellations and deadlines at random times against real threads. Each call must return.
  @Test(arguments: UInt64(1)...4) func everyCallReturns(seed: UInt64) async {
    var settings = SchedulerSettings()
    settings.slots = 2
    let scheduler = Scheduler(settings)
    let keys = [
      scheduler.add(SleepingModel(seconds: 0.000_1, usefulBatch: 4), name: "a"),
      scheduler.add(SleepingModel(seconds: 0.003, usefulBatch: 2), name: "b"),
      scheduler.add(SleepingModel(), name: "c", settings: QueueSettings(runSeconds: 0.000_001)),
    ]
    let answered = await withTaskGroup(of: Int.self) { group in
      for client in 0..<8 {
        group.addTask { [self] in
          var random = SeededRandom(seed * 100 + UInt64(client))
          var answered = 0
          for value in 0..<100 {
            let key = keys.randomElement(using: &random) ?? keys[0]
            let deadline: Duration? =
              Bool.random(using: &random) ? .microseconds(Int.random(in: 100...9_000, using: &random)) : nil
            let request = SleepingModel.request(value, bad: value % 9 == 0, deadline: deadline)
            let task = Task { await run(scheduler, request, key) }
            if Int.random(in: 0..<3, using: &random) == 0 {
              try? await Task.sleep(for: .microseconds(Int.random(in: 0...2_000, using: &random)))
              task.cancel()
            }
            if case .success(let answer) = await task.value {
              #expect(SleepingModel.value(answer) == value)
              answered += 1
            }
          }
          return answered
        }
      }
      return await group.reduce(0, +)
    }
    #expect(answered > 50)
    for key in keys { await until { scheduler.load(of: key) == (0, 0) } }
  }
}
