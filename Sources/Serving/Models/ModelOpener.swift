import CoreML
import CoreMLModels
import CoreMLRuntime
import CoreMLServingInterface
import Foundation
import Logging

/// Opens Core ML models: compiles them into the cache, loads them, and tries them.
package struct ModelOpener: Sendable {
  package var computeUnits: MLComputeUnits
  /// The threads of one prediction; nil for one for each core.
  package var threads: Int?
  private let logger: Logger
  private let temporaryFolder: URL

  /// - Parameter temporaryFolder: for compiled models that the cache cannot keep. The caller removes it at the end.
  package init(computeUnits: MLComputeUnits = .all, threads: Int? = nil, logger: Logger, temporaryFolder: URL) {
    (self.computeUnits, self.threads) = (computeUnits, threads)
    (self.logger, self.temporaryFolder) = (logger, temporaryFolder)
  }

  package func open(_ source: ModelSource) throws(ServingError) -> [OpenedModel] {
    let cached = ModelLeases()
    let leases = [cached, source.leases].compactMap { $0 }
    return try ServingError.converting {
      let compiled = try CompiledModels(leases: cached, host: host).compiled(source.url, noCache: false)
      let model = try load(compiled, function: nil)
      let bytes = try FileFingerprint(compiled).byteCount
      var opened = [try open(model, function: nil, bytes: bytes, leases)]
      for function in try model.functionNames {
        // Functions share the files, and so the pages, of their weights.
        opened.append(try open(try load(compiled, function: function), function: function, bytes: 0, leases))
      }
      return opened
    }
  }

  private func load(_ compiled: URL, function: String?) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = computeUnits
    configuration.threads = threads
    configuration.functionName = function
    return try MLModel(contentsOf: compiled, configuration: configuration)
  }

  private func open(_ model: MLModel, function: String?, bytes: Int, _ leases: [ModelLeases]) throws -> OpenedModel {
    let binding = ModelBinding(model.modelDescription)
    let trial = try ModelTrial(model, binding)
    let bound = BoundModel(model, binding, trial, keeping: leases)
    var makeState: (@Sendable () -> SequenceState)?
    if binding.isStateful { makeState = { SequenceState(model.makeState()) } }
    return OpenedModel(
      function: function, model: bound, memoryBytes: bytes, runSeconds: trial.runSeconds, makeState: makeState,
      metadata: { binding.metadata(name: $0, versions: $1) },
      check: { request throws(ServingError) in try binding.check(request) })
  }

  private var host: CompiledModels.Host {
    let (logger, temporaryFolder) = (logger, temporaryFolder)
    return CompiledModels.Host(
      note: { logger.notice("\($0)") }, detail: { logger.debug("\($0)") },
      temporaryFolder: {
        let folder = temporaryFolder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
      })
  }
}
