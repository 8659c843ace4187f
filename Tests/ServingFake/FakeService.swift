import CoreMLServingInterface
import Synchronization

/// An inference service without models, for tests of protocols. The name of a model says what it does:
///
/// - `echo` answers with its inputs, under the names of the requested outputs if there are any.
/// - `sleep` waits for its input `milliseconds`, or until it is cancelled.
/// - `fail.CODE` throws the error of this code, such as `fail.serving.exhausted`.
package final class FakeService: InferenceService {
  package struct State: Sendable {
    package var isReady = true
    package var loaded: [String: [String: ParameterValue]] = [:]
    package var requests: [InferenceRequest] = []
    package var cancelled = 0
    package var running = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var now: State { state.withLock { $0 } }
  package func set(isReady: Bool) { state.withLock { $0.isReady = isReady } }

  package var isLive: Bool { true }
  package var isReady: Bool { now.isReady }

  package func admit(
    model: String, version: String?, byteCount: Int, deadline: ContinuousClock.Instant?
  ) throws(ServingError) {
    _ = try metadata(model: model, version: version)
  }

  package func infer(_ request: InferenceRequest) async throws(ServingError) -> InferenceAnswer {
    _ = try metadata(model: request.model, version: request.version)
    // Only tests look at the requests, not measurements.
    if request.id != nil { state.withLock { $0.requests.append(request) } }
    if request.model.hasPrefix("fail.") { throw Self.failure(request.model) }
    if request.model == "sleep" { try await sleep(request) }
    var outputs = request.inputs
    for (index, wanted) in request.outputs.enumerated() where index < outputs.count {
      outputs[index].name = wanted.name
      guard wanted.classification > 0 else { continue }
      let classes = (0..<wanted.classification).map { Array("0.500000:\($0):label\($0)".utf8) }
      outputs[index] = ServingTensor(
        name: wanted.name, type: .bytes, shape: [1, classes.count], content: .byteStrings(classes))
    }
    return InferenceAnswer(model: request.model, version: request.version ?? "1", id: request.id, outputs: outputs)
  }

  private func sleep(_ request: InferenceRequest) async throws(ServingError) {
    state.withLock { $0.running += 1 }
    defer { state.withLock { $0.running -= 1 } }
    guard case .elements(let memory)? = request.inputs.first?.content, memory.bytes.count >= 4 else {
      throw ServingError(.invalidArgument, "The model 'sleep' needs an INT32 input.")
    }
    let milliseconds = memory.bytes.loadUnaligned(as: Int32.self)
    do {
      try await Task.sleep(for: .milliseconds(Int(milliseconds)))
    } catch {
      state.withLock { $0.cancelled += 1 }
      throw ServingError(.cancelled, "The client went away.")
    }
  }

  private static func failure(_ model: String) -> ServingError {
    let name = String(model.dropFirst("fail.".count))
    guard let code = ServingError.Code(rawValue: name) else {
      return ServingError(.notFound, "There is no code '\(name)'.")
    }
    return ServingError(code, "This is \(name).", retryAfter: code == .exhausted ? .milliseconds(1500) : nil)
  }

  package func metadata(model: String, version: String?) throws(ServingError) -> ModelMetadata {
    guard ["echo", "sleep"].contains(model) || model.hasPrefix("fail.") || now.loaded[model] != nil else {
      throw ServingError(.notFound, "There is no model '\(model)'.")
    }
    guard version == nil || version == "1" else {
      throw ServingError(.notFound, "The model '\(model)' has no version '\(version ?? "")'.")
    }
    return ModelMetadata(
      name: model, versions: ["1"], inputs: [.init(name: "x", type: .float32, shape: [-1, 16])],
      outputs: [.init(name: "y", type: .bytes, shape: [-1, 16])], isStateful: model == "sleep",
      parameters: model == "echo" ? ["max_batch_size": .integer(8)] : [:])
  }

  package func statistics(model: String?, version: String?) throws(ServingError) -> [ModelStatistics] {
    if let model { _ = try metadata(model: model, version: version) }
    var statistics = ModelStatistics(name: model ?? "echo", version: "1")
    statistics.success.add(.milliseconds(2))
    statistics.inferenceCount = 3
    statistics.executionCount = 1
    statistics.lastInference = 1_700_000_000_000
    statistics.batches[3] = statistics.success
    statistics.memoryBytes = 4096
    return [statistics]
  }

  package func index(readyOnly: Bool) -> [ModelStatus] {
    let all = [
      ModelStatus(name: "echo", version: "1", state: .ready, reason: ""),
      ModelStatus(name: "lost", version: "1", state: .unavailable, reason: "The file is damaged."),
    ]
    return all.filter { !readyOnly || $0.state == .ready }
  }

  package func isReady(model: String, version: String?) throws(ServingError) -> Bool {
    _ = try metadata(model: model, version: version)
    return model != "sleep"
  }

  package func load(model: String, parameters: [String: ParameterValue]) async throws(ServingError) {
    guard model != "lost" else { throw ServingError(.invalidArgument, "The file is damaged.") }
    state.withLock { $0.loaded[model] = parameters }
  }

  package func unload(model: String, parameters: [String: ParameterValue]) async throws(ServingError) {
    guard state.withLock({ $0.loaded.removeValue(forKey: model) }) != nil else {
      throw ServingError(.notFound, "There is no model '\(model)'.")
    }
  }
}
