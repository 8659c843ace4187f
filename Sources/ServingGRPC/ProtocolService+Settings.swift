import CoreMLServingInterface
import CoreMLServingMessages
import GRPCCore

/// Shared memory, trace and log settings: nothing is registered, and nothing can be set. Clients that list or remove
/// everything before they start find an empty list.
extension ProtocolService {
  func systemSharedMemoryStatus(
    request: Inference_SystemSharedMemoryStatusRequest, context: ServerContext
  ) async throws -> Inference_SystemSharedMemoryStatusResponse {
    try checkRegion(request.name)
    return Inference_SystemSharedMemoryStatusResponse()
  }

  func systemSharedMemoryRegister(
    request: Inference_SystemSharedMemoryRegisterRequest, context: ServerContext
  ) async throws -> Inference_SystemSharedMemoryRegisterResponse {
    throw ServingError(
      .unsupported, "System shared memory is not available over gRPC; send the tensors in raw_input_contents.")
  }

  func systemSharedMemoryUnregister(
    request: Inference_SystemSharedMemoryUnregisterRequest, context: ServerContext
  ) async throws -> Inference_SystemSharedMemoryUnregisterResponse {
    try checkRegion(request.name)
    return Inference_SystemSharedMemoryUnregisterResponse()
  }

  func cudaSharedMemoryStatus(
    request: Inference_CudaSharedMemoryStatusRequest, context: ServerContext
  ) async throws -> Inference_CudaSharedMemoryStatusResponse {
    try checkRegion(request.name)
    return Inference_CudaSharedMemoryStatusResponse()
  }

  func cudaSharedMemoryRegister(
    request: Inference_CudaSharedMemoryRegisterRequest, context: ServerContext
  ) async throws -> Inference_CudaSharedMemoryRegisterResponse {
    throw ServingError(.unsupported, "CUDA shared memory is not available; send the tensors in raw_input_contents.")
  }

  func cudaSharedMemoryUnregister(
    request: Inference_CudaSharedMemoryUnregisterRequest, context: ServerContext
  ) async throws -> Inference_CudaSharedMemoryUnregisterResponse {
    try checkRegion(request.name)
    return Inference_CudaSharedMemoryUnregisterResponse()
  }

  func traceSetting(
    request: Inference_TraceSettingRequest, context: ServerContext
  ) async throws -> Inference_TraceSettingResponse {
    try checkSettings("trace", request.settings.isEmpty)
    return Inference_TraceSettingResponse()
  }

  func logSettings(
    request: Inference_LogSettingsRequest, context: ServerContext
  ) async throws -> Inference_LogSettingsResponse {
    try checkSettings("log", request.settings.isEmpty)
    return Inference_LogSettingsResponse()
  }

  private func checkRegion(_ name: String) throws(ServingError) {
    guard name.isEmpty else {
      throw ServingError(.notFound, "There is no shared memory region '\(name)'; no region is registered.")
    }
  }

  private func checkSettings(_ kind: String, _ isEmpty: Bool) throws(ServingError) {
    guard isEmpty else {
      throw ServingError(.unsupported, "The \(kind) settings cannot be changed by a call; use the server's options.")
    }
  }
}
