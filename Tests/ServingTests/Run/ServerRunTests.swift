import CoreMLServing
import CoreMLServingInterface
import Foundation
import Logging
import Synchronization
import Testing

/// A protocol without sockets, which notes how it is called.
private final class TestFrontEnd: FrontEnd {
  let events = Mutex<[String]>([])
  let service = Mutex<(any InferenceService)?>(nil)
  private let failure: ServingError?

  init(failure: ServingError? = nil) { self.failure = failure }

  func note(_ event: String) { events.withLock { $0.append(event) } }

  func start(_ service: any InferenceService) async throws(ServingError) -> String {
    if let failure { throw failure }
    self.service.withLock { $0 = service }
    note("start")
    return "test"
  }

  func stopAccepting() async { note("stop") }
  func drained(within limit: Duration) async { note("drained") }
}

@Suite struct ServerRunTests {
  private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test func readinessFallsBeforeTheDrain() async throws {
    let models = FakeModels()
    let server = models.server()
    let frontEnd = TestFrontEnd()
    var run = ServerRun(server, frontEnds: [frontEnd], logger: quiet)
    run.lameDuck = .milliseconds(300)
    let (orders, order) = AsyncStream<Void>.makeStream()
    let running = Task { [run] in
      try await run { for await _ in orders { break } }
    }
    #expect(await eventually { server.isReady })
    order.yield()
    #expect(await eventually { !server.isReady })
    // In the lame-duck time requests are answered.
    #expect(await server.result(FakeModels.request()).code == nil)
    #expect(frontEnd.events.withLock { $0 } == ["start"])
    let isComplete = try await running.value
    #expect(isComplete)
    #expect(frontEnd.events.withLock { $0 } == ["start", "stop", "drained"])
    #expect(await server.result(FakeModels.request()).code == .unavailable)
  }

  @Test func requestsThatTakeTooLongAreCancelled() async throws {
    let models = FakeModels()
    // It does not stop when it is told to.
    let gate = DispatchSemaphore(value: 0)
    models.state.withLock { $0.models["m"] = SleepingModel(gate: gate) }
    let server = models.server()
    var run = ServerRun(server, frontEnds: [], logger: quiet)
    run.grace = .milliseconds(50)
    let (orders, order) = AsyncStream<Void>.makeStream()
    let running = Task { [run] in
      try await run { for await _ in orders { break } }
    }
    #expect(await eventually { server.isReady })
    async let pending = server.result(FakeModels.request())
    #expect(await eventually { server.inFlight == 1 })
    order.yield()
    let isComplete = try await running.value
    #expect(!isComplete)
    #expect(await pending.code == .cancelled)
    gate.signal()
  }

  @Test func anAddressThatIsTakenEndsTheRun() async {
    let frontEnd = TestFrontEnd(failure: ServingError(.unavailable, "The port 1 is taken."))
    let run = ServerRun(FakeModels().server(), frontEnds: [frontEnd], logger: quiet)
    let error = await #expect(throws: ServingError.self) { _ = try await run {} }
    #expect(error?.message == "The port 1 is taken.")
  }
}
