import CoreMLServingInterface
import CoreMLServingMessages
import GRPCCore

/// The methods of the protocol apart from inference: server, models, repository.
struct ProtocolService: Inference_GRPCInferenceService.SimpleServiceProtocol {
  let service: any InferenceService
  let options: GRPCOptions

  /// The extensions that this server implements, by the names of the protocol.
  static let extensions = [
    "classification", "sequence", "model_repository", "model_configuration", "parameters", "statistics",
    "schedule_policy",
  ]

  func serverLive(
    request: Inference_ServerLiveRequest, context: ServerContext
  ) async throws -> Inference_ServerLiveResponse {
    .with { $0.live = service.isLive }
  }

  func serverReady(
    request: Inference_ServerReadyRequest, context: ServerContext
  ) async throws -> Inference_ServerReadyResponse {
    .with { $0.ready = service.isReady }
  }

  func modelReady(
    request: Inference_ModelReadyRequest, context: ServerContext
  ) async throws -> Inference_ModelReadyResponse {
    let isReady = try service.isReady(model: request.name, version: request.version.asVersion)
    return .with { $0.ready = isReady }
  }

  func serverMetadata(
    request: Inference_ServerMetadataRequest, context: ServerContext
  ) async throws -> Inference_ServerMetadataResponse {
    .with {
      $0.name = options.name
      $0.version = options.version
      $0.extensions = Self.extensions
    }
  }

  func modelMetadata(
    request: Inference_ModelMetadataRequest, context: ServerContext
  ) async throws -> Inference_ModelMetadataResponse {
    .init(try service.metadata(model: request.name, version: request.version.asVersion))
  }

  func modelConfig(
    request: Inference_ModelConfigRequest, context: ServerContext
  ) async throws -> Inference_ModelConfigResponse {
    let metadata = try service.metadata(model: request.name, version: request.version.asVersion)
    return .with { $0.config = Inference_ModelConfig(metadata) }
  }

  func modelStatistics(
    request: Inference_ModelStatisticsRequest, context: ServerContext
  ) async throws -> Inference_ModelStatisticsResponse {
    let statistics = try service.statistics(model: request.name.asVersion, version: request.version.asVersion)
    return .with { $0.modelStats = statistics.map { Inference_ModelStatistics($0) } }
  }

  func repositoryIndex(
    request: Inference_RepositoryIndexRequest, context: ServerContext
  ) async throws -> Inference_RepositoryIndexResponse {
    .with { response in
      response.models = service.index(readyOnly: request.ready).map { status in
        .with {
          $0.name = status.name
          $0.version = status.version
          $0.state = status.state.rawValue
          $0.reason = status.reason
        }
      }
    }
  }

  func repositoryModelLoad(
    request: Inference_RepositoryModelLoadRequest, context: ServerContext
  ) async throws -> Inference_RepositoryModelLoadResponse {
    // Clients look for these words.
    try await change("failed to load", request.modelName) { () async throws(ServingError) in
      try await service.load(model: request.modelName, parameters: try Self.parameters(request.parameters))
    }
    return Inference_RepositoryModelLoadResponse()
  }

  func repositoryModelUnload(
    request: Inference_RepositoryModelUnloadRequest, context: ServerContext
  ) async throws -> Inference_RepositoryModelUnloadResponse {
    try await change("failed to unload", request.modelName) { () async throws(ServingError) in
      try await service.unload(model: request.modelName, parameters: try Self.parameters(request.parameters))
    }
    return Inference_RepositoryModelUnloadResponse()
  }

  private func change(
    _ failure: String, _ model: String, _ body: () async throws(ServingError) -> Void
  ) async throws(ServingError) {
    do throws(ServingError) {
      try await body()
    } catch {
      guard !error.message.contains(failure) else { throw error }
      throw ServingError(error.code, "\(failure) '\(model)': \(error.message)", retryAfter: error.retryAfter)
    }
  }

  private static func parameters(
    _ all: [String: Inference_ModelRepositoryParameter]
  ) throws(ServingError) -> [String: ParameterValue] {
    var parameters: [String: ParameterValue] = [:]
    for (name, parameter) in all {
      switch parameter.parameterChoice {
      case .boolParam(let flag): parameters[name] = .bool(flag)
      case .int64Param(let number): parameters[name] = .integer(number)
      case .stringParam(let text): parameters[name] = .text(text)
      case .bytesParam:
        throw ServingError(
          .unsupported, "The parameter '\(name)' has a file; the server loads models only from its own sources.")
      case nil: throw ServingError(.invalidArgument, "The parameter '\(name)' has no value.")
      }
    }
    return parameters
  }

  // `GRPCFrontEnd` registers these two methods with a codec of their own.

  func modelInfer(
    request: Inference_ModelInferRequest, context: ServerContext
  ) async throws -> Inference_ModelInferResponse {
    throw ServingError(.unsupported, "ModelInfer needs the codec of the server.")
  }

  func modelStreamInfer(
    request: RPCAsyncSequence<Inference_ModelInferRequest, any Error>,
    response: RPCWriter<Inference_ModelStreamInferResponse>, context: ServerContext
  ) async throws {
    throw ServingError(.unsupported, "ModelStreamInfer needs the codec of the server.")
  }
}
