import CoreMLRuntime
import CoreMLServing
import CoreMLServingInterface
import Foundation
import Logging
import Synchronization

/// A catalog and an opener of sleeping models, which a test changes while a server runs.
final class FakeModels: Sendable {
  struct State {
    var sources: [ModelSource] = []
    var models: [String: SleepingModel] = [:]
    var failures: [String: ServingError] = [:]
    var opened: [String] = []
    var openSeconds = 0.0
    var outputShapes: [String: [Int]] = [:]
    var isStateful = false
    var memoryBytes = 0
  }

  let state: Mutex<State>

  init(_ names: [String] = ["m"], isStateful: Bool = false) {
    var state = State()
    state.sources = names.map { FakeModels.source($0) }
    state.isStateful = isStateful
    self.state = Mutex(state)
  }

  static func source(_ name: String, version: String = "1", revision: String = "a") -> ModelSource {
    ModelSource(
      name: name, version: version, url: URL(filePath: "/\(name)"), fingerprint: "\(version)\(revision)", isNamed: true)
  }

  var catalog: ModelCatalog { ModelCatalog { self.state.withLock { $0.sources } } }

  func server(_ change: (inout ServerSettings) -> Void = { _ in }) -> ModelServer {
    var settings = ServerSettings()
    settings.memoryLimit = 1 << 30
    settings.control = .explicit
    change(&settings)
    return ModelServer(settings, catalog: catalog, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
      source throws(ServingError) in try self.open(source)
    }
  }

  func open(_ source: ModelSource) throws(ServingError) -> [OpenedModel] {
    let found = state.withLock { state in
      state.opened.append(source.name + source.fingerprint)
      return state
    }
    if found.openSeconds > 0 { Thread.sleep(forTimeInterval: found.openSeconds) }
    if let failure = found.failures[source.fingerprint] { throw failure }
    let shape = found.outputShapes[source.fingerprint] ?? [1]
    let isStateful = found.isStateful
    var makeState: (@Sendable () -> SequenceState)?
    if isStateful { makeState = { SequenceState(MLModel().makeState()) } }
    return [
      OpenedModel(
        model: found.models[source.fingerprint] ?? found.models[source.name] ?? SleepingModel(),
        memoryBytes: found.memoryBytes, runSeconds: 0.001,
        makeState: makeState,
        metadata: { name, versions in
          ModelMetadata(
            name: name, versions: versions, inputs: [],
            outputs: [ModelMetadata.Tensor(name: "y", type: .int64, shape: shape)], isStateful: isStateful)
        })
    ]
  }

  static func request(
    _ model: String = "m", version: String? = nil, value: Int = 7, sequence: SequenceStep? = nil, bad: Bool = false
  ) -> InferenceRequest {
    var request = SleepingModel.request(value, bad: bad).request
    (request.model, request.version, request.sequence, request.id) = (model, version, sequence, "id")
    return request
  }
}

extension Result where Success == InferenceAnswer, Failure == ServingError {
  var code: ServingError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}

extension ModelServer {
  func result(_ request: InferenceRequest) async -> Result<InferenceAnswer, ServingError> {
    do throws(ServingError) { return .success(try await infer(request)) } catch { return .failure(error) }
  }
}

/// Waits until a condition holds; false after ten seconds.
func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<10_000 {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return condition()
}
