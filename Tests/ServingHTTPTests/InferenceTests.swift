import CoreMLServingInterface
import Foundation
import Testing

@testable import CoreMLServingHTTP
@testable import CoreMLServingProtocol

/// Inference over a real connection.
@Suite struct InferenceTests {
  private static let path = "/v2/models/add/infer"

  @Test func json() async throws {
    try await withClient { client, service in
      let answer = try await client.post(Self.path, Bodies.json, "Request-Timeout: 5\r\n")
      #expect(
        answer.text
          == #"{"id":"7","model_name":"add","model_version":"1","outputs":[{"name":"y","datatype":"FP32","shape":[1,2],"data":[2.0, 3.5]}]}"#
      )
      #expect(service.state.withLock { $0.admissions[0].byteCount } == Bodies.json.utf8.count)
      #expect(service.state.withLock { $0.admissions[0].hasDeadline })
    }
  }

  @Test(arguments: [1, 16, 200_000]) func binary(_ count: Int) async throws {
    try await withClient { client, _ in
      let (head, body) = Bodies.binary(count)
      let fields = "Inference-Header-Content-Length: \(head.utf8.count)\r\n"
      for _ in 0..<2 {
        let answer = try await client.post(Self.path, body, fields)
        #expect(answer.fields["content-type"] == "application/octet-stream")
        let length = Int(answer.fields["inference-header-content-length"]!)!
        #expect(answer.body.count == length + count * 4)
        #expect(answer.body[length...].starts(with: [0, 0, 0, 64]))
        #expect(answer.body.suffix(4) == [0, 0, 0, 64])
      }
    }
    // Connections let go of their last answer when they end, which other tests do, too.
    try await eventually { AdoptedBuffer.count == 0 }
  }

  @Test func rawBody() async throws {
    try await withClient { client, _ in
      let answer = try await client.post(
        Self.path, [UInt8](repeating: 0, count: 64), "Inference-Header-Content-Length: 0\r\n")
      #expect(answer.fields["content-type"] == "application/octet-stream")
      #expect(answer.body.suffix(4) == [0, 0, 128, 63])
    }
  }

  @Test func image() async throws {
    try await withClient { client, _ in
      let answer = try await client.post("/v2/models/picture/infer", [1, 2, 3], "Content-Type: image/png\r\n")
      #expect(answer.text.contains(#""data":[3]"#))
      #expect(try await client.post(Self.path, [1, 2, 3], "Content-Type: image/png\r\n").status == 400)
    }
  }

  @Test func chunkedBody() async throws {
    try await withClient { client, _ in
      try await client.send("POST \(Self.path) HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
      for byte in Bodies.json.utf8 { try await client.send("1\r\n\(Character(Unicode.Scalar(byte)))\r\n") }
      try await client.send("0\r\n\r\n")
      #expect(try await client.answer().text.contains("[2.0, 3.5]"))
    }
  }

  @Test(arguments: ["gzip", "deflate"]) func compression(_ coding: String) async throws {
    try await withClient { client, _ in
      let (head, body) = Bodies.binary(5000)
      let store = ByteStore()
      body.withUnsafeBytes { store.append($0) }
      let packed = try Deflater.compress([.store(store)], ContentCoding(rawValue: coding)!)
      let fields =
        "Inference-Header-Content-Length: \(head.utf8.count)\r\nContent-Encoding: \(coding)\r\nAccept-Encoding: \(coding)\r\n"
      let answer = try await client.post(Self.path, packed.array, fields)
      #expect(answer.status == 200)
      #expect(answer.fields["content-encoding"] == coding)
      #expect(answer.body.count < 5000)
      var result: [UInt8] = []
      let inflater = try Inflater(ContentCoding(rawValue: coding)!, limit: 1 << 20)
      try answer.body.withUnsafeBytes { bytes in try inflater.append(bytes) { result += $0 } }
      #expect(result.count == Int(answer.fields["inference-header-content-length"]!)! + 20_000)
      // A truncated body is an error.
      #expect(try await client.post(Self.path, Array(packed.array.dropLast(9)), fields).status == 400)
    }
  }

  @Test func statusOfErrors() async throws {
    try await withClient { client, _ in
      let answer = try await client.post("/v2/models/full/infer", Bodies.json)
      #expect(answer.status == 429)
      #expect(answer.fields["retry-after"] == "2")
      #expect(answer.text == #"{"error":"The queue of 'full' is full."}"#)
      let late = #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1]}],"parameters":{"timeout":1}}"#
      #expect(try await client.post(Self.path, late).status == 504)
      #expect(try await client.post(Self.path, Bodies.json, "Request-Timeout: soon\r\n").status == 400)
    }
  }

  @Test func aLargeBodyIsRefusedAtOnce() async throws {
    try await withServer({ $0.limits.bodyBytes = 1000 }) { port, service, _ in
      var client = try await RawClient.connect(port)
      try await client.send("POST \(Self.path) HTTP/1.1\r\nHost: test\r\nContent-Length: 100000000000\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == 413)
      #expect(answer.fields["connection"] == "close")
      try await client.end()
      #expect(service.state.withLock { $0.admissions.isEmpty })

      // A body without a length is refused when it exceeds the limit.
      client = try await RawClient.connect(port)
      try await client.send("POST \(Self.path) HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
      try await client.send("800\r\n\(String(repeating: " ", count: 2048))\r\n")
      #expect(try await client.answer().status == 413)
    }
  }

  @Test func refusedBodiesAreDroppedIfSmall() async throws {
    try await withClient { client, _ in
      let small = Array(repeating: UInt8(0x20), count: 60_000)
      for _ in 0..<3 {
        let answer = try await client.post("/v2/models/full/infer", small)
        #expect(answer.status == 429)
        #expect(answer.fields["connection"] == nil)
      }
      try await client.send("POST /v2/models/full/infer HTTP/1.1\r\nHost: test\r\nContent-Length: 10000000\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == 429)
      #expect(answer.fields["connection"] == "close")
      try await client.end()
    }
  }

  @Test func expectation() async throws {
    try await withClient { client, _ in
      try await client.send(
        "POST \(Self.path) HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: \(Bodies.json.utf8.count)\r\n\r\n"
      )
      #expect(try await client.answer().status == 100)
      try await client.send(Bodies.json)
      #expect(try await client.answer().status == 200)
      // A request that is not admitted is not asked for its body.
      try await client.send(
        "POST /v2/models/full/infer HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
      #expect(try await client.answer().status == 429)
      try await client.end()
    }
  }

  @Test func sequencesAndParameters() async throws {
    try await withClient { client, service in
      let body =
        #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1]}],"parameters":{"sequence_id":18446744073709551615,"sequence_start":true,"priority":3}}"#
      let answer = try await client.post(Self.path, body)
      #expect(answer.status == 200)
      let request = service.state.withLock { $0.requests[0] }
      #expect(request.sequence?.id == "18446744073709551615")
      #expect(request.priority == 3)
    }
  }
}
