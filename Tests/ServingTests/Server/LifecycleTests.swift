import CoreMLServing
import CoreMLServingInterface
import Foundation
import Synchronization
import Testing

/// A switch that several tasks see.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

@Suite struct LifecycleTests {
  private func status(_ server: ModelServer, _ version: String = "1") -> ModelStatus? {
    server.index(readyOnly: false).first { $0.version == version }
  }

  @Test func loadsOfOneModelAtTheSameTimeAreOne() async throws {
    let models = FakeModels()
    models.state.withLock { state in
      state.openSeconds = 0.05
      state.sources[0].isNamed = false
    }
    let server = models.server()
    await server.start()
    #expect(server.isReady && server.index(readyOnly: true).isEmpty)
    #expect(status(server)?.reason == "not loaded")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try await server.load(model: "m", parameters: [:]) } }
      try await group.waitForAll()
    }
    #expect(models.state.withLock { $0.opened.count } == 1)
    #expect(status(server)?.state == .ready)
  }

  @Test func unloadedModelsDoNotAnswer() async throws {
    let server = FakeModels().server()
    await server.start()
    try await server.unload(model: "m", parameters: [:])
    #expect(await server.result(FakeModels.request()).code == .unavailable)
    #expect(status(server)?.state == .unavailable && status(server)?.reason == "unloaded")
    #expect(server.isReady)
    try await server.load(model: "m", parameters: [:])
    #expect(await server.result(FakeModels.request()).code == nil)
  }

  @Test func onlyExplicitControlLoads() async {
    let server = FakeModels().server { $0.control = .none }
    await server.start()
    let error = await #expect(throws: ServingError.self) { try await server.load(model: "m", parameters: [:]) }
    #expect(error?.code == .unsupported)
    await #expect(throws: ServingError.self) { try await server.unload(model: "m", parameters: [:]) }
  }

  @Test func aFailedLoadSaysSo() async {
    let models = FakeModels()
    let server = models.server()
    await server.start()
    models.state.withLock { $0.failures["1a"] = ServingError(.failed, "The file is damaged.") }
    let error = await #expect(throws: ServingError.self) { try await server.load(model: "m", parameters: [:]) }
    #expect(error?.message == "failed to load 'm': The file is damaged.")
    // The version that answered before still does, and the index has the reason.
    #expect(await server.result(FakeModels.request()).code == nil)
    #expect(status(server)?.state == .ready)
    #expect(status(server)?.reason == "The update failed: The file is damaged.")
    let unknown = await #expect(throws: ServingError.self) { try await server.load(model: "n", parameters: [:]) }
    #expect(unknown?.code == .notFound)
  }

  @Test func aChangedFileReplacesTheModel() async throws {
    let models = FakeModels()
    let server = models.server { $0.control = .poll }
    await server.start()
    models.state.withLock { $0.sources[0].fingerprint = "1b" }
    await server.synchronize()
    await server.synchronize()
    #expect(models.state.withLock { $0.opened } == ["m1a", "m1b"])
  }

  @Test func aNewerVersionReplacesTheOlder() async throws {
    let models = FakeModels()
    let server = models.server { $0.control = .poll }
    await server.start()
    models.state.withLock { $0.sources.append(FakeModels.source("m", version: "10")) }
    models.state.withLock { $0.sources.append(FakeModels.source("m", version: "9")) }
    await server.synchronize()
    let newest = try await server.infer(FakeModels.request())
    #expect(newest.version == "10")
    #expect(await eventually { server.index(readyOnly: true).map(\.version) == ["10"] })
    #expect(models.state.withLock { $0.opened } == ["m1a", "m10a"])
    // The newest disappears: the one before it is loaded.
    models.state.withLock { state in state.sources.removeAll { $0.version == "10" } }
    await server.synchronize()
    let older = try await server.infer(FakeModels.request())
    #expect(older.version == "9")
    models.state.withLock { $0.sources = [] }
    await server.synchronize()
    #expect(await server.result(FakeModels.request()).code == .unavailable)
  }

  @Test func incompleteFilesWait() async {
    let models = FakeModels()
    models.state.withLock { $0.sources[0].isComplete = false }
    let server = models.server { $0.control = .poll }
    await server.start()
    #expect(models.state.withLock { $0.opened.isEmpty })
    #expect(status(server)?.reason == "the files are not complete")
    models.state.withLock { $0.sources[0].isComplete = true }
    await server.synchronize()
    #expect(server.isReady)
  }

  @Test func anotherInterfaceIsRefused() async throws {
    let models = FakeModels()
    let server = models.server()
    await server.start()
    models.state.withLock { state in
      state.sources[0].fingerprint = "1b"
      state.outputShapes["1b"] = [2]
    }
    let error = await #expect(throws: ServingError.self) { try await server.load(model: "m", parameters: [:]) }
    #expect(error?.message.contains("the output 'y' is INT64 [2], it was INT64 [1]") ?? false)
    let before = try server.metadata(model: "m", version: nil)
    #expect(before.outputs[0].shape == [1])
    try await server.load(model: "m", parameters: ["allow_interface_change": .bool(true)])
    let after = try server.metadata(model: "m", version: nil)
    #expect(after.outputs[0].shape == [2])
  }

  /// Clients of a model that is replaced again and again see no failure.
  @Test func swapsFailNoRequest() async throws {
    let models = FakeModels()
    models.state.withLock { $0.models["m"] = SleepingModel(seconds: 0.001, usefulBatch: 4) }
    let server = models.server { $0.maximumWait = 60 }
    await server.start()
    let isOver = Flag()
    let failures = await withTaskGroup(of: [ServingError.Code].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var failures: [ServingError.Code] = []
          repeat {
            if let code = await server.result(FakeModels.request()).code { failures.append(code) }
          } while !isOver.isSet
          return failures
        }
      }
      for _ in 0..<20 { try? await server.load(model: "m", parameters: [:]) }
      isOver.set()
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(failures.isEmpty)
    #expect(models.state.withLock { $0.opened.count } == 21)
  }

  @Test func replacedModelsReturnTheirMemory() async throws {
    let models = FakeModels()
    models.state.withLock { $0.memoryBytes = 1000 }
    let server = models.server()
    await server.start()
    for _ in 0..<5 { try await server.load(model: "m", parameters: [:]) }
    #expect(await eventually { server.ledger.usedBytes == 1000 })
    try await server.unload(model: "m", parameters: [:])
    #expect(await eventually { server.ledger.usedBytes == 0 })
  }

  @Test func aSequenceStaysWithItsVersion() async throws {
    let models = FakeModels(isStateful: true)
    let server = models.server()
    await server.start()
    func step(_ id: String, start: Bool = false, end: Bool = false) -> InferenceRequest {
      FakeModels.request(sequence: SequenceStep(id: id, isStart: start, isEnd: end))
    }
    _ = try await server.infer(step("a", start: true))
    try await server.load(model: "m", parameters: [:])
    _ = try await server.infer(step("b", start: true))
    _ = try await server.infer(step("a"))
    _ = try await server.infer(step("a", end: true))
    _ = try await server.infer(step("b"))
    #expect(await server.result(step("a")).code == .invalidArgument)
  }
}
