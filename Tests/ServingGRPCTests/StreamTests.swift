import CoreMLServingGRPC
import CoreMLServingInterface
import CoreMLServingMessages
import Foundation
import GRPCCore
import ServingFake
import Testing

@Suite struct StreamTests {
  /// Slow requests before fast ones, and failures between them.
  @Test func keepsTheOrder() async throws {
    try await withServer { client, _ in
      var requests: [Inference_ModelInferRequest] = []
      for index in 0..<30 {
        switch index % 3 {
        case 0: requests.append(.sleep(Int32(30 - index), id: "r\(index)"))
        case 1: requests.append(.floats("echo", [Float(index)], id: "r\(index)"))
        default: requests.append(.floats("nobody", [1], id: "r\(index)"))
        }
      }
      let answers = try await client.stream(requests)
      #expect(answers.map(\.inferResponse.id) == (0..<30).map { "r\($0)" })
      #expect(answers.map(\.errorMessage) == (0..<30).map { $0 % 3 == 2 ? "There is no model 'nobody'." : "" })
      #expect(answers.allSatisfy { $0.inferResponse.parameters["triton_final_response"]?.boolParam == true })
    }
  }

  @Test func goesOnAfterAWrongMessage() async throws {
    try await withServer { client, _ in
      var wrong = Inference_ModelInferRequest.floats("echo", [1], id: "wrong")
      wrong.rawInputContents = []
      let answers = try await client.stream([wrong, .floats("echo", [1], id: "right")])
      #expect(answers.map(\.errorMessage) == ["The input 'x' has 0 elements; its shape [1, 1] needs 1.", ""])
      #expect(answers.map(\.inferResponse.id) == ["wrong", "right"])
    }
  }

  @Test func endsAtTheFirstErrorIfAsked() async throws {
    try await withServer { client, _ in
      let error = await #expect(throws: RPCError.self) {
        try await client.stream(
          [.floats("nobody", [1]), .floats("echo", [1])], metadata: ["triton_grpc_error": "true"])
      }
      #expect(error?.code == .notFound)
      #expect(error?.message == "There is no model 'nobody'.")
    }
  }

  /// Requests of sequences run one after the other, others side by side up to the limit.
  @Test func limitsRequestsUnderWay() async throws {
    let service = FakeService()
    try await withServer(service, { $0.maxStreamRequests = 3 }) { client, _ in
      let most = Task {
        var most = 0
        while !Task.isCancelled {
          most = max(most, service.now.running)
          try? await Task.sleep(for: .milliseconds(1))
        }
        return most
      }
      _ = try await client.stream((0..<9).map { _ in .sleep(50) })
      most.cancel()
      #expect(await most.value == 3)
    }
    try await withServer(service) { client, _ in
      let requests = (0..<5).map { index in
        var request = Inference_ModelInferRequest.sleep(5, id: "s\(index)")
        request.parameters["sequence_id"] = .with { $0.int64Param = 1 }
        return request
      }
      _ = try await client.stream(requests)
      #expect(service.now.requests.map(\.id) == (0..<5).map { "s\($0)" })
    }
  }

  @Test func cancelsWhatIsUnderWay() async throws {
    let service = FakeService()
    try await withServer(service) { client, _ in
      let task = Task { try await client.stream([.sleep(60_000), .sleep(60_000)]) }
      #expect(await eventually { service.now.running == 2 })
      task.cancel()
      #expect(await eventually { service.now.running == 0 })
      #expect(service.now.cancelled == 2)
    }
  }
}
