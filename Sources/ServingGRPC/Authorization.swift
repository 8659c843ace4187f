import CoreMLBase
import CoreMLServingInterface
import GRPCCore

/// Refuses calls whose token does not have the scope that their method needs.
struct Authorization: ServerInterceptor {
  let authorize: @Sendable (_ token: String?, _ scope: GRPCScope) throws(ServingError) -> Void

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>, context: ServerContext,
    next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    if let scope = Self.scope(context.descriptor) { try authorize(Self.token(request.metadata), scope) }
    return try await next(request, context)
  }

  /// The scope that a method needs; nil for the health of the server, which probes ask for without a token.
  static func scope(_ method: MethodDescriptor) -> GRPCScope? {
    switch (method.service.fullyQualifiedService, method.method) {
    case ("grpc.health.v1.Health", _), (_, "ServerLive"), (_, "ServerReady"): nil
    case (_, "ModelInfer"), (_, "ModelStreamInfer"): .infer
    case (_, "RepositoryModelLoad"), (_, "RepositoryModelUnload"), (_, "TraceSetting"), (_, "LogSettings"),
      (_, "SystemSharedMemoryRegister"), (_, "SystemSharedMemoryUnregister"), (_, "CudaSharedMemoryRegister"),
      (_, "CudaSharedMemoryUnregister"):
      .admin
    default: .read
    }
  }

  /// The token of `authorization: Bearer TOKEN`.
  static func token(_ metadata: Metadata) -> String? {
    for value in metadata[stringValues: "authorization"] {
      let parts = value.split(separator: " ", maxSplits: 1)
      if parts.count == 2, parts[0].lowercased() == "bearer" { return String(parts[1]) }
    }
    return nil
  }

  /// A name for the caller's token that does not reveal it; nil without a token.
  static func owner(_ metadata: Metadata) -> String? {
    token(metadata).map { String(SHA256Digest.hexadecimal(of: Array($0.utf8)).prefix(16)) }
  }
}
