import CoreMLServingGRPC
import CoreMLServingInterface
import CoreMLServingMessages
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import ServingFake
import Testing

/// Starting, tokens, limits and draining.
@Suite struct OperationTests {
  @Test func asksForTokens() async throws {
    let service = FakeService()
    try await withServer(
      service,
      { options in
        options.authorize = { (token, scope) throws(ServingError) in
          guard let token else { throw ServingError(.unauthenticated, "The call needs a bearer token.") }
          guard token == scope.rawValue else { throw ServingError(.forbidden, "The token does not allow this.") }
        }
      }
    ) { client, _ in
      let none = await #expect(throws: RPCError.self) { try await client.infer(.floats("echo", [1])) }
      #expect(none?.code == .unauthenticated)
      #expect(none?.message == "The call needs a bearer token.")
      _ = try await client.infer(.floats("echo", [1]), metadata: ["authorization": "Bearer infer"])
      // Sequences of different tokens are apart.
      var step = Inference_ModelInferRequest.floats("echo", [1], id: "r")
      step.parameters["sequence_id"] = .with { $0.uint64Param = 7 }
      _ = try await client.infer(step, metadata: ["authorization": "Bearer infer"])
      let sequence = try #require(service.now.requests.last?.sequence)
      #expect(sequence.id.hasSuffix("/7") && !sequence.id.contains("infer"))
      let wrong = await #expect(throws: RPCError.self) {
        try await client.infer(.floats("echo", [1]), metadata: ["authorization": "bearer read"])
      }
      #expect(wrong?.code == .permissionDenied)
      let stream = await #expect(throws: RPCError.self) { try await client.stream([.floats("echo", [1])]) }
      #expect(stream?.code == .unauthenticated)
      _ = try await client.call(
        Methods.ModelMetadata.descriptor, Inference_ModelMetadataRequest.with { $0.name = "echo" },
        Inference_ModelMetadataResponse.self, metadata: ["authorization": "Bearer read"])
      let load = await #expect(throws: RPCError.self) {
        try await client.call(
          Methods.RepositoryModelLoad.descriptor, Inference_RepositoryModelLoadRequest(),
          Inference_RepositoryModelLoadResponse.self, metadata: ["authorization": "Bearer read"])
      }
      #expect(load?.code == .permissionDenied)
      // Probes have no token.
      _ = try await client.call(
        Methods.ServerReady.descriptor, Inference_ServerReadyRequest(), Inference_ServerReadyResponse.self)
      _ = try await client.call(
        Grpc_Health_V1_Health.Method.Check.descriptor, Grpc_Health_V1_HealthCheckRequest(),
        Grpc_Health_V1_HealthCheckResponse.self)
    }
  }

  @Test func drainsWhatRuns() async throws {
    let service = FakeService()
    try await withServer(service) { client, frontEnd in
      let running = Task { try await client.infer(.sleep(500, id: "r")) }
      #expect(await eventually { service.now.running == 1 })
      frontEnd.stopAccepting()
      #expect(await frontEnd.drained(within: .seconds(20)))
      let answer = try await running.value
      #expect(answer.id == "r")
    }
  }

  @Test func endsWhatTakesTooLong() async throws {
    let service = FakeService()
    try await withServer(service) { client, frontEnd in
      let running = Task { try await client.infer(.sleep(600_000)) }
      #expect(await eventually { service.now.running == 1 })
      frontEnd.stopAccepting()
      #expect(await !frontEnd.drained(within: .milliseconds(100)))
      #expect(service.now.cancelled == 1)
      await #expect(throws: (any Error).self) { try await running.value }
    }
  }

  @Test func doesNotWaitForIdleStreams() async throws {
    try await withServer { client, frontEnd in
      let (waiting, feed) = AsyncStream<Void>.makeStream()
      let stream = Task {
        try await client.bidirectionalStreaming(
          request: StreamingClientRequest { _ in for await _ in waiting {} },
          descriptor: Methods.ModelStreamInfer.descriptor, serializer: RawSerializer(), deserializer: RawDeserializer(),
          options: .defaults
        ) { response in for try await _ in response.messages {} }
      }
      try await Task.sleep(for: .milliseconds(200))
      frontEnd.stopAccepting()
      let begin = ContinuousClock.now
      #expect(await frontEnd.drained(within: .seconds(60)))
      #expect(.now - begin < .seconds(30))
      feed.finish()
      _ = await stream.result
    }
  }

  @Test func closesConnectionsOverTheLimit() async throws {
    try await withServer(configure: { $0.maxConnections = 1 }) { client, frontEnd in
      _ = try await client.infer(.floats("echo", [1]))
      let port = try #require(frontEnd.port)
      _ = try await withGRPCClient(
        transport: .http2NIOPosix(target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
      ) { second in
        await #expect(throws: (any Error).self) {
          try await second.infer(.floats("echo", [1]), timeout: .milliseconds(500))
        }
      }
      // The first connection is still good.
      _ = try await client.infer(.floats("echo", [1]))
    }
  }

  @Test func saysWhyItCannotListen() async throws {
    try await withServer { _, frontEnd in
      var options = GRPCOptions()
      options.port = try #require(frontEnd.port)
      let second = GRPCFrontEnd(service: FakeService(), options: options)
      let error = await #expect(throws: ServingError.self) { try await second.start() }
      #expect(
        error?.message.contains("cannot listen on 127.0.0.1, port \(options.port): Address already in use") == true)
      options.tls = .init(certificateChain: "/nowhere/chain.pem", privateKey: "/nowhere/key.pem")
      let third = GRPCFrontEnd(service: FakeService(), options: options)
      let tls = await #expect(throws: ServingError.self) { try await third.start() }
      #expect(tls?.message.contains("'/nowhere/chain.pem'") == true)
    }
  }
}

private struct RawSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes { Bytes(message) }
}

private struct RawDeserializer: MessageDeserializer {
  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> Int { bytes.count }
}
