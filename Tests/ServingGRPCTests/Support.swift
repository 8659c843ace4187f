import CoreMLServingGRPC
import CoreMLServingInterface
import CoreMLServingMessages
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import ServingFake
import SwiftProtobuf
import Testing

typealias Client = GRPCClient<HTTP2ClientTransport.Posix>
typealias Methods = Inference_GRPCInferenceService.Method

/// A server on a free port of the loopback, and a client of it.
func withServer(
  _ service: FakeService = FakeService(), _ configure: (inout GRPCOptions) -> Void = { _ in },
  _ body: (Client, GRPCFrontEnd) async throws -> Void
) async throws {
  var options = GRPCOptions()
  options.port = 0
  options.watchInterval = .milliseconds(10)
  configure(&options)
  let frontEnd = GRPCFrontEnd(service: service, options: options)
  let port = try await frontEnd.start()
  do {
    try await withGRPCClient(
      transport: .http2NIOPosix(target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
    ) { try await body($0, frontEnd) }
  } catch {
    frontEnd.stopAccepting()
    _ = await frontEnd.drained(within: .zero)
    throw error
  }
  frontEnd.stopAccepting()
  _ = await frontEnd.drained(within: .seconds(5))
}

extension GRPCClient {
  func call<Request: Message & Sendable, Response: Message & Sendable>(
    _ method: MethodDescriptor, _ request: Request, _ type: Response.Type = Response.self, metadata: Metadata = [:],
    timeout: Duration? = nil
  ) async throws -> Response {
    var options = CallOptions.defaults
    options.timeout = timeout
    // The default is 4 MiB.
    (options.maxRequestMessageBytes, options.maxResponseMessageBytes) = (64 << 20, 64 << 20)
    return try await unary(
      request: ClientRequest(message: request, metadata: metadata), descriptor: method,
      serializer: ProtobufSerializer<Request>(), deserializer: ProtobufDeserializer<Response>(), options: options
    ) { try $0.message }
  }

  func infer(
    _ request: Inference_ModelInferRequest, metadata: Metadata = [:], timeout: Duration? = nil
  ) async throws -> Inference_ModelInferResponse {
    try await call(Methods.ModelInfer.descriptor, request, metadata: metadata, timeout: timeout)
  }

  /// Sends all requests, and returns all answers.
  func stream(
    _ requests: [Inference_ModelInferRequest], metadata: Metadata = [:]
  ) async throws -> [Inference_ModelStreamInferResponse] {
    let request = StreamingClientRequest<Inference_ModelInferRequest>(metadata: metadata) { writer in
      for request in requests { try await writer.write(request) }
    }
    return try await bidirectionalStreaming(
      request: request, descriptor: Methods.ModelStreamInfer.descriptor,
      serializer: ProtobufSerializer<Inference_ModelInferRequest>(),
      deserializer: ProtobufDeserializer<Inference_ModelStreamInferResponse>(), options: .defaults
    ) { response in
      var answers: [Inference_ModelStreamInferResponse] = []
      for try await message in response.messages { answers.append(message) }
      return answers
    }
  }
}

extension Inference_ModelInferRequest {
  /// A request with one FP32 input.
  static func floats(_ model: String, _ numbers: [Float], id: String = "") -> Self {
    .with {
      $0.modelName = model
      $0.id = id
      $0.inputs = [
        .with {
          $0.name = "x"; $0.datatype = "FP32"; $0.shape = [1, Int64(numbers.count)]
        }
      ]
      $0.rawInputContents = [numbers.withUnsafeBytes { Data($0) }]
    }
  }

  /// A request that takes some time.
  static func sleep(_ milliseconds: Int32, id: String = "") -> Self {
    .with {
      $0.modelName = "sleep"
      $0.id = id
      $0.inputs = [
        .with {
          $0.name = "x"; $0.datatype = "INT32"; $0.shape = [1]; $0.contents.intContents = [milliseconds]
        }
      ]
    }
  }
}

/// Waits until a condition holds, for at most ten seconds.
func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<12_000 {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return condition()
}
