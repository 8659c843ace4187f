import CoreMLServingGRPC
import CoreMLServingMessages
import GRPCCore
import GRPCProtobuf
import SwiftProtobuf
import Testing

@Suite struct ReflectionTests {
  private typealias Request = Grpc_Reflection_V1_ServerReflectionRequest
  private typealias Response = Grpc_Reflection_V1_ServerReflectionResponse

  private func ask(_ client: Client, _ version: String, _ requests: [Request]) async throws -> [Response] {
    try await client.bidirectionalStreaming(
      request: StreamingClientRequest { writer in for request in requests { try await writer.write(request) } },
      descriptor: MethodDescriptor(
        fullyQualifiedService: "grpc.reflection.\(version).ServerReflection", method: "ServerReflectionInfo"),
      serializer: ProtobufSerializer<Request>(), deserializer: ProtobufDeserializer<Response>(), options: .defaults
    ) { response in
      var answers: [Response] = []
      for try await message in response.messages { answers.append(message) }
      return answers
    }
  }

  @Test(arguments: ["v1", "v1alpha"]) func describesServices(_ version: String) async throws {
    try await withServer { client, _ in
      let answers = try await ask(
        client, version,
        [
          .with { $0.listServices = "" },
          .with { $0.fileContainingSymbol = "inference.GRPCInferenceService.ModelInfer" },
          .with { $0.fileByFilename = "health.proto" },
          .with { $0.fileContainingSymbol = "nobody" },
        ])
      #expect(
        answers[0].listServicesResponse.service.map(\.name) == [
          "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
          "inference.GRPCInferenceService",
        ])
      let files = try answers[1].fileDescriptorResponse.fileDescriptorProto.map {
        try Google_Protobuf_FileDescriptorProto(serializedBytes: $0)
      }
      #expect(files.map(\.name) == ["inference.proto", "model_config.proto"])
      #expect(files.first?.service.first?.method.count == 20)
      #expect(answers[2].fileDescriptorResponse.fileDescriptorProto.count == 1)
      #expect(answers[3].errorResponse.errorCode == 5)
    }
  }
}
