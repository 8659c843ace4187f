import CoreMLServing
import CoreMLServingInterface
import Foundation
import Testing

@Suite struct ModelServerTests {
  @Test func answersAndCounts() async throws {
    let models = FakeModels()
    let server = models.server()
    #expect(!server.isReady)
    await server.start()
    #expect(server.isReady && server.isLive)
    let answer = try await server.infer(FakeModels.request())
    #expect(answer.model == "m" && answer.version == "1" && answer.id == "id")
    #expect(await server.result(FakeModels.request(bad: true)).code == .invalidArgument)
    let statistics = try #require(try server.statistics(model: "m", version: nil).first)
    #expect(statistics.success.count == 1 && statistics.failure.count == 1)
    #expect(statistics.inferenceCount == 1 && statistics.executionCount == 1)
    #expect(statistics.batches[1]?.count == 1 && statistics.queue.count == 1 && statistics.computeInfer.count == 1)
    #expect(statistics.failures == ["serving.invalid-argument": 1])
    #expect(statistics.requestSeconds.counts.reduce(0, +) == 2 && statistics.inferenceSeconds.counts.reduce(0, +) == 1)
    #expect(statistics.lastInference > 1_600_000_000_000)
    #expect(statistics.waiting == 0 && statistics.running == 0)
  }

  @Test func unknownNamesAreNotFound() async {
    let server = FakeModels().server()
    await server.start()
    #expect(await server.result(FakeModels.request("other")).code == .notFound)
    #expect(await server.result(FakeModels.request(version: "9")).code == .notFound)
    #expect(throws: ServingError.self) { try server.metadata(model: "other", version: nil) }
    #expect(throws: ServingError.self) { try server.isReady(model: "other", version: nil) }
    #expect(throws: ServingError.self) { try server.statistics(model: "other", version: nil) }
  }

  @Test func aModelThatFailsToLoadIsInTheIndex() async throws {
    let models = FakeModels(["good", "bad"])
    models.state.withLock { state in
      state.sources[1].fingerprint = "broken"
      state.failures["broken"] = ServingError(.failed, "The file is damaged.")
    }
    let server = models.server()
    await server.start()
    #expect(!server.isReady)
    let statuses = server.index(readyOnly: false)
    #expect(statuses.map(\.name) == ["bad", "good"])
    #expect(statuses[0].state == .unavailable && statuses[0].reason == "The file is damaged.")
    #expect(server.index(readyOnly: true).map(\.name) == ["good"])
    #expect(await server.result(FakeModels.request("bad")).code == .unavailable)
    let isBadReady = try server.isReady(model: "bad", version: nil)
    let isGoodReady = try server.isReady(model: "good", version: "1")
    #expect(!isBadReady && isGoodReady)
  }

  @Test func requestsBeyondTheLedgerAreRefused() async throws {
    let models = FakeModels()
    let server = models.server { $0.memoryLimit = 1000 }
    await server.start()
    var request = FakeModels.request()
    request.inputs = [
      ServingTensor(name: "x", type: .uint8, shape: [2000], content: .elements(try TensorMemory(byteCount: 2000)))
    ]
    #expect(await server.result(request).code == .tooLarge)
    #expect(throws: ServingError.self) { try server.admit(model: "m", version: nil, byteCount: 2000, deadline: nil) }
    try server.admit(model: "m", version: nil, byteCount: 900, deadline: nil)
    #expect(server.ledger.usedBytes == 0)
  }

  // MARK: drain

  @Test func drainingWaitsForRequests() async throws {
    let models = FakeModels()
    let gate = DispatchSemaphore(value: 0)
    models.state.withLock { $0.models["m"] = SleepingModel(gate: gate) }
    let server = models.server()
    await server.start()
    async let pending = server.result(FakeModels.request())
    #expect(await eventually { server.inFlight == 1 })
    server.beginDraining()
    let isModelReady = try server.isReady(model: "m", version: nil)
    #expect(!server.isReady && !isModelReady)
    gate.signal()
    #expect(await pending.code == nil)
    // Requests are accepted until the drain itself begins.
    gate.signal()
    #expect(await server.result(FakeModels.request()).code == nil)
    #expect(await server.drained(within: .seconds(10)))
    #expect(await server.result(FakeModels.request()).code == .unavailable)
  }

  @Test func drainingIsBounded() async throws {
    let models = FakeModels()
    models.state.withLock { $0.models["m"] = SleepingModel(seconds: 60) }
    let server = models.server()
    await server.start()
    async let pending = server.result(FakeModels.request())
    #expect(await eventually { server.inFlight == 1 })
    let start = ContinuousClock.now
    #expect(await !server.drained(within: .milliseconds(50)))
    #expect(await pending.code == .cancelled)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  // MARK: sequences

  @Test func sequencesKeepTheirState() async throws {
    let server = FakeModels(isStateful: true).server()
    await server.start()
    func run(_ id: String, start: Bool = false, end: Bool = false) async -> ServingError.Code? {
      await server.result(FakeModels.request(sequence: SequenceStep(id: id, isStart: start, isEnd: end))).code
    }
    #expect(await server.result(FakeModels.request()).code == .invalidArgument)
    #expect(await run("a") == .invalidArgument)
    #expect(await run("a", start: true) == nil)
    #expect(await run("a") == nil)
    #expect(await run("b") == .invalidArgument)
    #expect(await run("a", end: true) == nil)
    #expect(await run("a") == .invalidArgument)
    #expect(await run("c", start: true, end: true) == nil)
    #expect(await run("c") == .invalidArgument)
  }
}
