@testable import CoreMLServing
import CoreMLServingInterface
import Testing

@Suite struct SimulationTests {
  /// Random models, shapes, priorities, sequences, deadlines and cancellations.
  @Test(arguments: UInt64(1)...60) func noRequestIsLostOrAnsweredTwice(seed: UInt64) {
    var random = SeededRandom(seed)
    var settings = SchedulerSettings()
    settings.slots = Int.random(in: 1...3, using: &random)
    settings.maximumRuns = Int.random(in: 1...8, using: &random)
    var simulation = Simulation(settings)
    let models = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      simulation.add(
        seconds: [0.000_2, 0.002, 0.02, 0.06].randomElement(using: &random) ?? 0.002,
        usefulBatch: [1, 1, 4, 8].randomElement(using: &random) ?? 1,
        parallelRuns: Int.random(in: 1...4, using: &random),
        maximumWait: Bool.random(using: &random) ? 1 : nil)
    }
    for _ in 0..<2_000 {
      simulation.advance(to: simulation.now + Double.random(in: 0...0.01, using: &random))
      let model = models.randomElement(using: &random) ?? 0
      let sequence = Int.random(in: 0..<10, using: &random) == 0 ? "s\(Int.random(in: 0...3, using: &random))" : nil
      let id = simulation.submit(
        model, bucket: Bucket(shapes: "\(Int.random(in: 0...2, using: &random))", sequence: sequence),
        priority: Int.random(in: 0...4, using: &random),
        deadline: Bool.random(using: &random) ? simulation.now + Double.random(in: -0.01...0.3, using: &random) : nil)
      if Int.random(in: 0..<8, using: &random) == 0 { simulation.cancel(Int.random(in: 0...id, using: &random)) }
      if Int.random(in: 0..<20, using: &random) == 0 { simulation.sweep() }
    }
    simulation.drain()
    #expect(simulation.violations.isEmpty)
    #expect(simulation.requests.allSatisfy { $0.outcome != nil })
    #expect(simulation.state.places.isEmpty && simulation.state.batches.isEmpty)
    #expect(simulation.state.models.values.allSatisfy { $0.isIdle && $0.buckets.isEmpty })
    #expect(simulation.requests.contains { $0.outcome == .answered })
    for request in simulation.requests where request.started != nil {
      if let deadline = request.deadline { #expect((request.started ?? 0) < deadline) }
    }
    expectOrder(simulation)
  }

  /// Requests of one bucket and priority start in the order of submission, and those of a sequence never overlap.
  private func expectOrder(_ simulation: Simulation) {
    struct Lane: Hashable {
      var model: Int
      var bucket: Bucket
      var priority: Int
    }
    var latest: [Lane: Double] = [:]
    var busyUntil: [Bucket: [Int: Double]] = [:]
    for request in simulation.requests {
      guard let started = request.started else { continue }
      let priority = request.bucket.sequence == nil ? (request.priority == 0 ? 2 : request.priority) : 0
      let lane = Lane(model: request.model, bucket: request.bucket, priority: priority)
      #expect(started >= latest[lane] ?? 0)
      latest[lane] = started
      if request.bucket.sequence != nil, request.outcome == .answered {
        #expect(started >= busyUntil[request.bucket]?[request.model] ?? 0)
        busyUntil[request.bucket, default: [:]][request.model] = request.ended
      }
    }
  }

  /// A flood for a slow model beside a client of a fast one: the fast one waits less than two of its own runs.
  @Test func smallModelDoesNotStarve() {
    var simulation = Simulation()
    let (slow, fast) = (simulation.add(seconds: 0.06), simulation.add(seconds: 0.000_5))
    var small: [Int] = []
    for step in 0..<2_000 {
      simulation.advance(to: Double(step) * 0.005)
      simulation.submit(slow)
      simulation.submit(slow)
      small.append(simulation.submit(fast))
    }
    simulation.drain()
    for id in small {
      let request = simulation.requests[id]
      #expect(request.outcome == .answered)
      #expect((request.started ?? .infinity) - request.submitted < 0.001)
    }
  }

  /// Two floods get equal shares of the processor, although the runs of one are ten times as long.
  @Test func modelsShareTheProcessor() {
    var simulation = Simulation()
    let models = [simulation.add(seconds: 0.01, maximumWait: 0.5), simulation.add(seconds: 0.1, maximumWait: 0.5)]
    for step in 0..<20_000 {
      simulation.advance(to: Double(step) * 0.002)
      for model in models { simulation.submit(model) }
    }
    let (first, second) = (simulation.busySeconds[0], simulation.busySeconds[1])
    #expect(abs(first - second) < 0.1 * (first + second))
    #expect(first + second > 0.97 * simulation.now)
  }

  /// A stream of urgent requests does not hold a less urgent one up for longer than its levels allow.
  @Test func priorityAges() {
    var simulation = Simulation()
    let model = simulation.add(seconds: 0.01, maximumWait: 10)
    for _ in 0..<5 { simulation.submit(model, priority: 1) }
    let patient = simulation.submit(model, priority: 4)
    for step in 0..<200 {
      simulation.advance(to: Double(step) * 0.01)
      simulation.submit(model, priority: 1)
    }
    let urgent = simulation.submit(model, priority: 1)
    simulation.drain()
    let wait = (simulation.requests[patient].started ?? .infinity)
    #expect(wait > 0.1 && wait < 0.5)
    #expect((simulation.requests[urgent].started ?? .infinity) - simulation.requests[urgent].submitted < 0.2)
  }

  /// Far more requests than the model can answer: goodput stays, and those admitted wait no longer than promised.
  @Test func overloadIsRefusedAtOnce() {
    var simulation = Simulation()
    let model = simulation.add(seconds: 0.06)
    for step in 0..<10_000 {
      simulation.advance(to: Double(step) * 0.003)
      simulation.submit(model)
    }
    simulation.drain()
    let answered = simulation.requests.filter { $0.outcome == .answered }
    #expect(Double(answered.count) > 0.97 * 30 / 0.06)
    #expect(simulation.requests.contains { $0.outcome == .refused && $0.ended == $0.submitted })
    #expect(answered.allSatisfy { ($0.started ?? .infinity) - $0.submitted < 0.6 + 0.061 })
  }

  /// Runs that use one processor fill the slot side by side, and the expected wait counts their share.
  @Test func runsOfOneProcessorRunSideBySide() {
    var settings = SchedulerSettings()
    settings.maximumRuns = 4
    var simulation = Simulation(settings)
    let model = simulation.add(seconds: 0.1, parallelRuns: 4, maximumWait: 10)
    let ids = (0..<8).map { _ in simulation.submit(model) }
    let key = simulation.models[model].key
    #expect(abs(simulation.state.expectedWait(key, now: simulation.instant) - 0.2) < 1e-6)
    simulation.drain()
    #expect(ids.map { simulation.requests[$0].started } == [0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1])
  }

  /// A model that needs the whole slot gets it beside a flood of runs that take a part of it.
  @Test func aWholeSlotIsNotStarvedByParts() {
    var settings = SchedulerSettings()
    settings.maximumRuns = 4
    var simulation = Simulation(settings)
    let parts = simulation.add(seconds: 0.02, parallelRuns: 4, maximumWait: 0.5)
    let whole = simulation.add(seconds: 0.02, maximumWait: 0.5)
    for step in 0..<10_000 {
      simulation.advance(to: Double(step) * 0.002)
      for _ in 0..<2 { simulation.submit(parts) }
      simulation.submit(whole)
    }
    let used = (simulation.busySeconds[parts] / 4, simulation.busySeconds[whole])
    #expect(abs(used.0 - used.1) < 0.2 * (used.0 + used.1))
    #expect(used.1 > 0.3 * simulation.now)
  }

  @Test func waitingRequestsFormABatch() {
    var simulation = Simulation()
    let model = simulation.add(seconds: 0.01, usefulBatch: 4, maximumWait: 10)
    let ids = (0..<7).map { _ in simulation.submit(model) }
    let other = simulation.submit(model, bucket: Bucket(shapes: "other"))
    simulation.drain()
    let batches = ids.map { simulation.requests[$0].batch }
    // The first starts alone at once, since nothing waits for company.
    #expect(simulation.requests[ids[0]].started == 0)
    #expect(batches[0] != batches[1])
    #expect(Set(batches[1...4]).count == 1 && Set(batches[5...6]).count == 1)
    #expect(!batches.contains(simulation.requests[other].batch))
    #expect(simulation.largestBatch == 4)
  }
}
