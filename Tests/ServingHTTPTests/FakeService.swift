import CoreMLServingInterface
import Foundation
import Synchronization

/// A service with some models: `add` adds 1, `echo` returns its inputs, `slow` waits until it is cancelled, `full`
/// refuses, `big` answers with many elements, `picture` counts the bytes of its picture.
final class FakeService: InferenceService {
  struct State {
    var isReady = true
    var models = ["add", "echo", "slow", "full", "big", "picture", "a/b é"]
    var admissions: [(byteCount: Int, hasDeadline: Bool)] = []
    var requests: [InferenceRequest] = []
    var cancelled = 0
    var running = 0
  }

  let state = Mutex(State())

  func update(_ change: (inout sending State) -> Void) { state.withLock { change(&$0) } }

  private func check(_ model: String, _ version: String?) throws(ServingError) {
    guard state.withLock({ $0.models.contains(model) }) else {
      throw ServingError(.notFound, "There is no model '\(model)'.")
    }
    guard version == nil || version == "1" else {
      throw ServingError(.notFound, "The model '\(model)' has no version '\(version ?? "")'.")
    }
  }

  func admit(
    model: String, version: String?, byteCount: Int, deadline: ContinuousClock.Instant?
  ) throws(ServingError) {
    try check(model, version)
    state.withLock { state in
      state.admissions.append((byteCount, deadline != nil))
      if state.admissions.count > 16 { state.admissions.removeFirst() }
    }
    if model == "full" {
      throw ServingError(.exhausted, "The queue of 'full' is full.", retryAfter: .milliseconds(1500))
    }
  }

  func infer(_ request: InferenceRequest) async throws(ServingError) -> InferenceAnswer {
    try check(request.model, request.version)
    state.withLock { state in
      state.requests.append(request)
      // The server of the clients' tests runs long.
      if state.requests.count > 16 { state.requests.removeFirst() }
    }
    if let deadline = request.deadline, deadline <= .now {
      throw ServingError(.deadlineExceeded, "The request's time is over.")
    }
    var outputs: [ServingTensor] = []
    switch request.model {
    case "slow":
      state.withLock { $0.running += 1 }
      do { try await Task.sleep(for: .seconds(30)) } catch {
        state.withLock { $0.cancelled += 1 }
        throw ServingError(.cancelled, "The request was cancelled.")
      }
    case "add":
      guard let input = request.inputs.first, case .elements(let memory) = input.content, input.type == .float32 else {
        throw ServingError(.invalidArgument, "The model 'add' needs an FP32 tensor.")
      }
      let result = try TensorMemory(byteCount: memory.bytes.count)
      let (from, to) = (memory.bytes.bindMemory(to: Float.self), result.bytes.bindMemory(to: Float.self))
      for index in from.indices { to[index] = from[index] + 1 }
      outputs = [ServingTensor(name: "y", type: .float32, shape: input.shape, content: .elements(result))]
    case "big":
      let memory = try TensorMemory(byteCount: 4 << 20)
      _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: 0)
      outputs = [ServingTensor(name: "y", type: .float32, shape: [1 << 20], content: .elements(memory))]
    case "picture":
      guard case .byteStrings(let strings) = request.inputs.first?.content else {
        throw ServingError(.invalidArgument, "The model 'picture' needs BYTES.")
      }
      let memory = try TensorMemory(byteCount: 8)
      memory.bytes.storeBytes(of: Int64(strings[0].count), as: Int64.self)
      outputs = [ServingTensor(name: "size", type: .int64, shape: [1], content: .elements(memory))]
    default: outputs = request.inputs
    }
    return InferenceAnswer(model: request.model, version: "1", id: request.id, outputs: outputs)
  }

  func metadata(model: String, version: String?) throws(ServingError) -> ModelMetadata {
    try check(model, version)
    let input =
      model == "picture"
      ? ModelMetadata.Tensor(
        name: "image", type: .uint8, shape: [1, 8, 8, 3], parameters: ["content_type": .text("image")])
      : ModelMetadata.Tensor(name: "x", type: .float32, shape: [1, 16])
    return ModelMetadata(
      name: model, versions: ["1"], inputs: [input],
      outputs: [ModelMetadata.Tensor(name: "y", type: .float32, shape: [1, 16])])
  }

  func statistics(model: String?, version: String?) throws(ServingError) -> [ModelStatistics] {
    if let model { try check(model, version) }
    return (model.map { [$0] } ?? state.withLock { $0.models }).map { ModelStatistics(name: $0, version: "1") }
  }

  func index(readyOnly: Bool) -> [ModelStatus] {
    state.withLock { $0.models }.map { ModelStatus(name: $0, version: "1", state: .ready, reason: "") }
  }

  var isLive: Bool { true }
  var isReady: Bool { state.withLock { $0.isReady } }
  func isReady(model: String, version: String?) throws(ServingError) -> Bool {
    try check(model, version)
    return model != "full"
  }

  func load(model: String, parameters: [String: ParameterValue]) async throws(ServingError) {
    guard model != "bad" else { throw ServingError(.invalidArgument, "The file is damaged.") }
    state.withLock { if !$0.models.contains(model) { $0.models.append(model) } }
  }

  func unload(model: String, parameters: [String: ParameterValue]) async throws(ServingError) {
    try check(model, nil)
    state.withLock { $0.models.removeAll { $0 == model } }
  }
}
