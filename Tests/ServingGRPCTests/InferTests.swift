import CoreMLServingGRPC
import CoreMLServingInterface
import CoreMLServingMessages
import Foundation
import GRPCCore
import ServingFake
import Testing

@Suite struct InferTests {
  @Test func answersWithTheTensors() async throws {
    try await withServer { client, _ in
      let answer = try await client.infer(.floats("echo", [1.5, -2], id: "r1"))
      #expect(answer.modelName == "echo")
      #expect(answer.modelVersion == "1")
      #expect(answer.id == "r1")
      #expect(answer.outputs.map(\.name) == ["x"])
      #expect(answer.outputs.map(\.datatype) == ["FP32"])
      #expect(answer.outputs.map(\.shape) == [[1, 2]])
      #expect(
        answer.rawOutputContents == [([1.5, -2] as [Float]).withUnsafeBytes { Data($0) }])
    }
  }

  @Test func passesParametersOn() async throws {
    let service = FakeService()
    try await withServer(service) { client, _ in
      var request = Inference_ModelInferRequest.floats("echo", [1], id: "r")
      request.parameters["priority"] = .with { $0.int64Param = 2 }
      request.parameters["sequence_id"] = .with { $0.uint64Param = 7 }
      request.parameters["sequence_end"] = .with { $0.boolParam = true }
      request.outputs = [
        .with {
          $0.name = "top"; $0.parameters["classification"] = .with { $0.int64Param = 2 }
        }
      ]
      let answer = try await client.infer(request)
      #expect(answer.outputs.map(\.datatype) == ["BYTES"])
      #expect(answer.outputs.map(\.shape) == [[1, 2]])
      let seen = try #require(service.now.requests.first)
      #expect(seen.priority == 2)
      #expect(seen.sequence?.id == "7")
      #expect(seen.sequence?.isEnd == true)
    }
  }

  @Test(arguments: ServingError.Code.allCases) func mapsErrors(_ code: ServingError.Code) async throws {
    let expected: [ServingError.Code: RPCError.Code] = [
      .invalidArgument: .invalidArgument, .notFound: .notFound, .tooLarge: .resourceExhausted,
      .exhausted: .resourceExhausted, .unavailable: .unavailable, .deadlineExceeded: .deadlineExceeded,
      .cancelled: .cancelled, .unsupported: .unimplemented, .unauthenticated: .unauthenticated,
      .forbidden: .permissionDenied, .failed: .internalError,
    ]
    try await withServer { client, _ in
      let error = await #expect(throws: RPCError.self) { try await client.infer(.floats("fail.\(code.rawValue)", [1])) }
      #expect(error?.code == expected[code])
      #expect(error?.message == "This is \(code.rawValue).")
      #expect(error?.metadata[stringValues: "error-code"].map { $0 } == [code.rawValue])
      let pushback = error?.metadata[stringValues: "grpc-retry-pushback-ms"].map { $0 }
      #expect(pushback == (code == .exhausted ? ["1500"] : []))
    }
  }

  @Test func refusesWrongRequests() async throws {
    try await withServer { client, _ in
      var request = Inference_ModelInferRequest.floats("echo", [1])
      request.rawInputContents = [Data([1, 2])]
      let error = await #expect(throws: RPCError.self) { try await client.infer(request) }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message == "The input 'x' has 2 bytes; FP32 of the shape [1, 1] needs 4.")
      // The connection is still good.
      _ = try await client.infer(.floats("echo", [1]))
    }
  }

  @Test func takesLargeTensors() async throws {
    try await withServer { client, _ in
      let numbers = (0..<2_000_000).map { Float($0) }
      let answer = try await client.infer(.floats("echo", numbers))
      #expect(answer.rawOutputContents == [numbers.withUnsafeBytes { Data($0) }])
    }
  }

  @Test func refusesMessagesOverTheLimit() async throws {
    try await withServer(configure: { $0.maxMessageBytes = 100_000 }) { client, _ in
      let numbers = [Float](repeating: 1, count: 30_000)
      let error = await #expect(throws: RPCError.self) { try await client.infer(.floats("echo", numbers)) }
      #expect(error?.code == .resourceExhausted)
    }
  }

  /// A call that reaches the server after its deadline has nothing to end. So the deadline grows until one arrives.
  @Test func endsAtTheDeadlineOfTheCall() async throws {
    let service = FakeService()
    try await withServer(service) { client, _ in
      for seconds in [1, 4, 16, 64, 256] {
        let error = await #expect(throws: RPCError.self) {
          try await client.infer(.sleep(3_600_000, id: "r"), timeout: .seconds(seconds))
        }
        #expect(error?.code == .deadlineExceeded)
        guard let request = service.now.requests.last else { continue }
        #expect(await eventually { service.now.cancelled == 1 && service.now.running == 0 })
        let deadline = try #require(request.deadline)
        #expect(deadline - .now < .seconds(seconds))
        return
      }
      Issue.record("no call reached the server")
    }
  }

  @Test func cancelsTheWorkOfClientsThatLeave() async throws {
    let service = FakeService()
    try await withServer(service) { client, _ in
      let task = Task { try await client.infer(.sleep(60_000)) }
      #expect(await eventually { service.now.running == 1 })
      task.cancel()
      #expect(await eventually { service.now.cancelled == 1 && service.now.running == 0 })
      await #expect(throws: (any Error).self) { try await task.value }
    }
  }
}

/// For tests that change options only.
func withServer(
  configure: (inout GRPCOptions) -> Void, _ body: (Client, GRPCFrontEnd) async throws -> Void
) async throws { try await withServer(FakeService(), configure, body) }
