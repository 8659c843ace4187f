import CoreMLServingGRPC
import CoreMLServingMessages
import GRPCCore
import GRPCProtobuf
import ServingFake
import Testing

@Suite struct HealthTests {
  private typealias Request = Grpc_Health_V1_HealthCheckRequest
  private typealias Response = Grpc_Health_V1_HealthCheckResponse

  @Test func checksServerAndModels() async throws {
    let service = FakeService()
    try await withServer(service) { client, _ in
      func status(_ name: String) async throws -> Response.ServingStatus {
        let response: Response = try await client.call(
          Grpc_Health_V1_Health.Method.Check.descriptor, Request.with { $0.service = name })
        return response.status
      }
      var found: [Response.ServingStatus] = []
      for name in ["", "inference.GRPCInferenceService", "echo", "sleep"] { found.append(try await status(name)) }
      #expect(found == [.serving, .serving, .serving, .notServing])
      service.set(isReady: false)
      let unready = try await status("")
      #expect(unready == .notServing)
      let error = await #expect(throws: RPCError.self) { try await status("nobody") }
      #expect(error?.code == .notFound)
    }
  }

  /// A watcher sees every change, and the end when the server drains.
  @Test func watches() async throws {
    let service = FakeService()
    try await withServer(service) { client, frontEnd in
      let seen = try await client.serverStreaming(
        request: ClientRequest(message: Request()), descriptor: Grpc_Health_V1_Health.Method.Watch.descriptor,
        serializer: ProtobufSerializer<Request>(), deserializer: ProtobufDeserializer<Response>(), options: .defaults
      ) { response in
        var seen: [Response.ServingStatus] = []
        for try await message in response.messages {
          seen.append(message.status)
          switch seen.count {
          case 1: service.set(isReady: false)
          case 2: service.set(isReady: true)
          default: frontEnd.stopAccepting()
          }
        }
        return seen
      }
      #expect(seen == [.serving, .notServing, .serving, .notServing])
    }
  }
}
