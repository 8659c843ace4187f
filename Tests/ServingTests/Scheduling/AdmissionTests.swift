@testable import CoreMLServing
import CoreMLServingInterface
import Testing

@Suite struct AdmissionTests {
  private let now = ContinuousClock.now

  private func busy(_ waiting: Int, seconds: Double = 0.1, maximumWait: Double? = nil) throws -> (
    SchedulerState, ModelKey
  ) {
    var state = SchedulerState()
    let key = state.add(
      name: "slow", usefulBatch: 1, settings: QueueSettings(maximumWait: maximumWait, runSeconds: seconds))
    for id in 0...waiting {
      try state.submit(UInt64(id), to: key, bucket: Bucket(), now: now)
      if id == 0 { #expect(state.next(now: now) != nil) }
    }
    return (state, key)
  }

  @Test func expectedWaitCountsRunningAndWaitingRequests() throws {
    let (state, key) = try busy(3)
    #expect(abs(state.expectedWait(key, now: now) - 0.4) < 1e-9)
    #expect(abs(state.expectedWait(key, now: now + .milliseconds(50)) - 0.35) < 1e-9)
  }

  @Test func refusalSaysWhenToComeBack() throws {
    var (state, key) = try busy(9, maximumWait: 0.95)
    let error = #expect(throws: ServingError.self) {
      try state.submit(100, to: key, bucket: Bucket(), now: now)
    }
    #expect(error?.code == .exhausted)
    #expect(abs((error?.retryAfter?.inSeconds ?? 0) - 1.0) < 1e-6)
    #expect(error?.message == "The model 'slow' is busy: the expected wait is 1000 ms, at most 950 ms is admitted.")
    #expect(state.places[100] == nil)
  }

  @Test func aDeadlineThatCannotBeMetIsRefused() throws {
    var (state, key) = try busy(3)
    let error = #expect(throws: ServingError.self) {
      try state.submit(100, to: key, bucket: Bucket(), deadline: now + .milliseconds(300), now: now)
    }
    #expect(error?.code == .exhausted)
    try state.submit(101, to: key, bucket: Bucket(), deadline: now + .milliseconds(500), now: now)
  }

  @Test func aDeadlineInThePastIsExceeded() throws {
    var (state, key) = try busy(0)
    let error = #expect(throws: ServingError.self) {
      try state.submit(100, to: key, bucket: Bucket(), deadline: now, now: now)
    }
    #expect(error?.code == .deadlineExceeded)
  }

  @Test(arguments: [(0.001, 0.1), (0.05, 0.5), (2.0, 5.0)])
  func defaultLimitFollowsTheMedianRun(seconds: Double, limit: Double) {
    let queue = ModelQueue(name: "m", usefulBatch: 1, settings: QueueSettings(runSeconds: seconds))
    #expect(abs(queue.maximumWait - limit) < 1e-9)
  }

  @Test func aLongWaitElsewhereDoesNotRefuseAFastModel() throws {
    var (state, _) = try busy(40, maximumWait: 10)
    let fast = state.add(name: "fast", usefulBatch: 1, settings: QueueSettings(runSeconds: 0.001))
    try state.submit(1000, to: fast, bucket: Bucket(), deadline: now + .milliseconds(5), now: now)
    #expect(state.next(now: now)?.requests == [1000])
  }

  @Test func unknownModelIsUnavailable() {
    var state = SchedulerState()
    let key = state.add(name: "m", usefulBatch: 1, settings: QueueSettings())
    #expect(state.remove(key).isEmpty)
    let error = #expect(throws: ServingError.self) { try state.submit(1, to: key, bucket: Bucket(), now: now) }
    #expect(error?.code == .unavailable)
  }

  @Test func estimatesKeepABoundedNumberOfShapes() {
    var estimate = RunEstimate(runSeconds: nil)
    #expect(estimate.row("a") == 0)
    for shape in 0..<1_000 { estimate.add(0.01, rows: 2, shapes: "\(shape)") }
    #expect(abs(estimate.row("new") - 0.005) < 1e-9)
    #expect(abs((estimate.median ?? 0) - 0.01) < 1e-9)
  }
}
