import CoreMLServingGRPC
import CoreMLServingInterface
import CoreMLServingMessages
import GRPCCore
import ServingFake
import Testing

/// The methods apart from inference.
@Suite struct MethodTests {
  @Test func describesServerAndModels() async throws {
    let service = FakeService()
    try await withServer(service) { client, _ in
      let live: Inference_ServerLiveResponse = try await client.call(
        Methods.ServerLive.descriptor, Inference_ServerLiveRequest())
      #expect(live.live)
      let ready: Inference_ServerReadyResponse = try await client.call(
        Methods.ServerReady.descriptor, Inference_ServerReadyRequest())
      #expect(ready.ready)
      service.set(isReady: false)
      let unready: Inference_ServerReadyResponse = try await client.call(
        Methods.ServerReady.descriptor, Inference_ServerReadyRequest())
      #expect(!unready.ready)
      let server: Inference_ServerMetadataResponse = try await client.call(
        Methods.ServerMetadata.descriptor, Inference_ServerMetadataRequest())
      #expect(server.name == "coreml-runtime")
      #expect(server.extensions.contains("statistics"))
      let model: Inference_ModelReadyResponse = try await client.call(
        Methods.ModelReady.descriptor, Inference_ModelReadyRequest.with { $0.name = "sleep" })
      #expect(!model.ready)
      let metadata: Inference_ModelMetadataResponse = try await client.call(
        Methods.ModelMetadata.descriptor, Inference_ModelMetadataRequest.with { $0.name = "echo" })
      #expect(metadata.platform == "coreml")
      #expect(metadata.inputs.map(\.shape) == [[-1, 16]])
      #expect(metadata.outputs.map(\.datatype) == ["BYTES"])
    }
  }

  @Test func describesTheConfiguration() async throws {
    try await withServer { client, _ in
      let echo: Inference_ModelConfigResponse = try await client.call(
        Methods.ModelConfig.descriptor, Inference_ModelConfigRequest.with { $0.name = "echo" })
      #expect(echo.config.maxBatchSize == 8)
      #expect(echo.config.input.map(\.dims) == [[16]])
      #expect(echo.config.output.map(\.dataType) == [.typeString])
      let sleep: Inference_ModelConfigResponse = try await client.call(
        Methods.ModelConfig.descriptor, Inference_ModelConfigRequest.with { $0.name = "sleep" })
      #expect(sleep.config.maxBatchSize == 0)
      #expect(sleep.config.input.map(\.dims) == [[-1, 16]])
      #expect(sleep.config.schedulingChoice == .sequenceBatching(.with { $0.oldest = .init() }))
    }
  }

  @Test func tellsStatistics() async throws {
    try await withServer { client, _ in
      let all: Inference_ModelStatisticsResponse = try await client.call(
        Methods.ModelStatistics.descriptor, Inference_ModelStatisticsRequest())
      let model = try #require(all.modelStats.first)
      #expect(model.inferenceCount == 3)
      #expect(model.inferenceStats.success.ns == 2_000_000)
      #expect(model.batchStats.map(\.batchSize) == [3])
      #expect(model.memoryUsage.map(\.byteSize) == [4096])
    }
  }

  @Test func managesTheRepository() async throws {
    let service = FakeService()
    try await withServer(service) { client, _ in
      let index: Inference_RepositoryIndexResponse = try await client.call(
        Methods.RepositoryIndex.descriptor, Inference_RepositoryIndexRequest())
      #expect(index.models.map(\.state) == ["READY", "UNAVAILABLE"])
      let ready: Inference_RepositoryIndexResponse = try await client.call(
        Methods.RepositoryIndex.descriptor, Inference_RepositoryIndexRequest.with { $0.ready = true })
      #expect(ready.models.map(\.name) == ["echo"])
      _ = try await client.call(
        Methods.RepositoryModelLoad.descriptor,
        Inference_RepositoryModelLoadRequest.with {
          $0.modelName = "new"
          $0.parameters["config"] = .with { $0.stringParam = "{}" }
        }, Inference_RepositoryModelLoadResponse.self)
      #expect(service.now.loaded == ["new": ["config": .text("{}")]])
      let failed = await #expect(throws: RPCError.self) {
        try await client.call(
          Methods.RepositoryModelLoad.descriptor,
          Inference_RepositoryModelLoadRequest.with { $0.modelName = "lost" },
          Inference_RepositoryModelLoadResponse.self)
      }
      #expect(failed?.message == "failed to load 'lost': The file is damaged.")
      let unknown = await #expect(throws: RPCError.self) {
        try await client.call(
          Methods.RepositoryModelUnload.descriptor,
          Inference_RepositoryModelUnloadRequest.with { $0.modelName = "lost" },
          Inference_RepositoryModelUnloadResponse.self)
      }
      #expect(unknown?.code == .notFound)
    }
  }

  @Test func refusesByName() async throws {
    try await withServer { client, _ in
      _ = try await client.call(
        Methods.SystemSharedMemoryStatus.descriptor, Inference_SystemSharedMemoryStatusRequest(),
        Inference_SystemSharedMemoryStatusResponse.self)
      let memory = await #expect(throws: RPCError.self) {
        try await client.call(
          Methods.SystemSharedMemoryRegister.descriptor, Inference_SystemSharedMemoryRegisterRequest(),
          Inference_SystemSharedMemoryRegisterResponse.self)
      }
      #expect(memory?.code == .unimplemented)
      let settings = await #expect(throws: RPCError.self) {
        try await client.call(
          Methods.LogSettings.descriptor,
          Inference_LogSettingsRequest.with { $0.settings["log_info"] = .with { $0.boolParam = true } },
          Inference_LogSettingsResponse.self)
      }
      #expect(settings?.message.contains("log settings cannot be changed") == true)
    }
  }
}
