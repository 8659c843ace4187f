import CoreMLServingInterface
import CoreMLServingMessages
import GRPCCore

/// The health protocol of gRPC. A service is the server (empty name), a service of gRPC, or a model.
struct HealthService: Grpc_Health_V1_Health.SimpleServiceProtocol {
  let service: any InferenceService
  let load: Load
  let watchInterval: Duration

  func check(
    request: Grpc_Health_V1_HealthCheckRequest, context: ServerContext
  ) async throws -> Grpc_Health_V1_HealthCheckResponse {
    guard let isServing = isServing(request.service) else {
      throw ServingError(.notFound, "There is no service and no model '\(request.service)'.")
    }
    return .with { $0.status = isServing ? .serving : .notServing }
  }

  /// Sends the state at once and at every change, until the client leaves or the server drains.
  func watch(
    request: Grpc_Health_V1_HealthCheckRequest, response: RPCWriter<Grpc_Health_V1_HealthCheckResponse>,
    context: ServerContext
  ) async throws {
    var last: Grpc_Health_V1_HealthCheckResponse.ServingStatus?
    // The library also cancels the call when the server drains, and the client is to see that.
    while load.isDraining || !context.cancellation.isCancelled {
      let isDraining = load.isDraining
      let status: Grpc_Health_V1_HealthCheckResponse.ServingStatus =
        switch isServing(request.service) {
        case true?: .serving
        case false?: .notServing
        case nil: .serviceUnknown
        }
      if status != last { try await response.write(.with { $0.status = status }) }
      last = status
      if isDraining { return }
      try await Task.sleep(for: watchInterval)
    }
  }

  /// Nil if there is no service of this name.
  private func isServing(_ name: String) -> Bool? {
    switch name {
    case "", "inference.GRPCInferenceService": service.isReady && !load.isDraining
    case "grpc.health.v1.Health": true
    default: (try? service.isReady(model: name, version: nil)).map { $0 && !load.isDraining }
    }
  }
}
