import CoreMLServingInterface
import Foundation
import Synchronization
import Testing

@testable import CoreMLServingHTTP

private final class Records: Sendable {
  let list = Mutex<[AccessRecord]>([])
}

/// Connections: clients that go away or misbehave, limits, and the end of the server.
@Suite struct ConnectionTests {
  @Test func aClientThatGoesAwayCancels() async throws {
    try await withServer { port, service, _ in
      for end in 0..<2 {
        let client = try await RawClient.connect(port)
        try await client.send(
          "POST /v2/models/slow/infer HTTP/1.1\r\nHost: test\r\nContent-Length: \(Bodies.json.utf8.count)\r\n\r\n\(Bodies.json)"
        )
        try await eventually { service.state.withLock { $0.running } == end + 1 }
        if end == 0 { await client.close() } else { await client.closeOutput() }
        try await eventually { service.state.withLock { $0.cancelled } == end + 1 }
      }
    }
  }

  @Test func requestsInOnePieceAreAnsweredInOrder() async throws {
    try await withClient { client, _ in
      let post =
        "POST /v2/models/add/infer HTTP/1.1\r\nHost: test\r\nContent-Length: \(Bodies.json.utf8.count)\r\n\r\n\(Bodies.json)"
      let get = "GET /v2/health/live HTTP/1.1\r\nHost: test\r\n\r\n"
      let refused = "POST /v2/models/none/infer HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc"
      try await client.send(String(repeating: post + get + refused, count: 30))
      for _ in 0..<30 {
        #expect(try await client.answer().text.contains("[2.0, 3.5]"))
        #expect(try await client.answer().text == #"{"live":true}"#)
        #expect(try await client.answer().status == 404)
      }
    }
  }

  /// The answers to thousands of requests that wait do not nest.
  @Test func manyRequestsWait() async throws {
    try await withClient { client, _ in
      let post =
        "POST /v2/models/big/infer HTTP/1.1\r\nHost: test\r\nContent-Length: \(Bodies.json.utf8.count)\r\n\r\n\(Bodies.json)"
      let get = "GET /v2/health/live HTTP/1.1\r\nHost:t\r\n\r\n"
      try await client.send(post + String(repeating: get, count: 5000))
      #expect(try await client.answer().status == 200)
      for _ in 0..<5000 {
        let answer = try await client.answer()
        guard answer.text == #"{"live":true}"# else {
          Issue.record("\(answer.text)")
          return
        }
      }
    }
  }

  @Test func aRequestByteByByte() async throws {
    try await withClient { client, _ in
      let (head, body) = Bodies.binary(2)
      let text =
        "POST /v2/models/add/infer HTTP/1.1\r\nHost: test\r\nInference-Header-Content-Length: \(head.utf8.count)\r\nContent-Length: \(body.count)\r\n\r\n"
      for byte in Array(text.utf8) + body { try await client.send([byte]) }
      #expect(try await client.answer().body.suffix(8) == [0, 0, 0, 64, 0, 0, 0, 64])
    }
  }

  @Test(arguments: [
    "GET /v2 HTTP/1.1\r\n\r\n", "GET /v2 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "hello\r\n\r\n",
    "POST /v2/repository/index HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "POST /v2/repository/index HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    "POST /v2/repository/index HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n",
    "POST /v2/repository/index HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "GET /v2 HTTP/1.1\r\nHost: t\r\nBad Name: x\r\n\r\n",
  ]) func wrongFraming(_ text: String) async throws {
    try await withClient { client, _ in
      try await client.send(text)
      let answer = try await client.answer()
      #expect(answer.status == 400)
      #expect(answer.text.hasPrefix(#"{"error":""#))
    }
  }

  @Test func aHeadIsLimitedInSize() async throws {
    try await withServer { port, _, _ in
      for line in ["X: ", "GET /"] {
        let client = try await RawClient.connect(port)
        try await client.send(line == "X: " ? "GET /v2 HTTP/1.1\r\nHost: t\r\n" : "")
        try await client.send(line + String(repeating: "a", count: 40 << 10))
        let status = try await client.answer().status
        #expect(status == 431 || status == 400)
        try await client.end()
      }
      let client = try await RawClient.connect(port)
      try await client.send("GET /v2 HTTP/1.1\r\nHost: t\r\n")
      // The server may refuse before it has all.
      for _ in 0..<40 { try? await client.send("X: \(String(repeating: "a", count: 1000))\r\n") }
      // What it did not read may reset the connection before the client has read the answer.
      let status = try? await client.answer().status
      #expect(status == 431 || status == nil)
    }
  }

  @Test func timesAreLimited() async throws {
    try await withServer({ $0.limits.headTime = .seconds(1) }) { port, _, _ in
      #expect(await exchange(port, "GET /v2 HTTP/1.1\r\nHo").hasPrefix("HTTP/1.1 408 "))
    }
    try await withServer({ $0.limits.idleTime = .seconds(3) }) { port, _, _ in
      let head = "POST /v2/models/add/infer HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\n"
      async let body = exchange(port, head + "{")
      #expect(await exchange(port, "") == "")
      #expect(await body.hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test func aSlowReaderIsDropped() async throws {
    let change: (inout HTTPOptions) -> Void = {
      $0.limits.idleTime = .seconds(2)
      $0.limits.slowestRate = 1 << 30
    }
    try await withServer(change) { port, _, server in
      let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { Foundation.close(socket) }
      var size: Int32 = 4096
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, 4)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      #expect(connected == 0)
      let (head, body) = Bodies.binary(1)
      for _ in 0..<4 {
        let request =
          Array(
            "POST /v2/models/big/infer HTTP/1.1\r\nHost: t\r\nInference-Header-Content-Length: \(head.utf8.count)\r\nContent-Length: \(body.count)\r\n\r\n"
              .utf8) + body
        _ = request.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      }
      try await eventually { server.openConnections == 1 }
      try await eventually { server.openConnections == 0 }
    }
    try await eventually { AdoptedBuffer.count == 0 }
  }

  @Test func connectionsAreLimited() async throws {
    try await withServer({ $0.limits.connections = 2 }) { port, _, _ in
      let first = try await RawClient.connect(port)
      let second = try await RawClient.connect(port)
      #expect(try await first.get("/v2").status == 200)
      #expect(try await second.get("/v2").status == 200)
      let third = try await RawClient.connect(port)
      await #expect(throws: RawClient.Timeout.self) {
        try await third.send("GET /v2 HTTP/1.1\r\nHost: t\r\n\r\n")
        _ = try await third.answer(within: .milliseconds(500))
      }
      await first.close()
      #expect(try await third.answer().status == 200)
    }
  }

  @Test func drain() async throws {
    try await withServer { port, service, server in
      let idle = try await RawClient.connect(port)
      #expect(try await idle.get("/v2").status == 200)
      let busy = try await RawClient.connect(port)
      let half = Bodies.json.utf8.count / 2
      try await busy.send(
        "POST /v2/models/add/infer HTTP/1.1\r\nHost: t\r\nContent-Length: \(Bodies.json.utf8.count)\r\n\r\n\(Bodies.json.prefix(half))"
      )
      try await eventually { service.state.withLock { !$0.admissions.isEmpty } }
      server.stopAccepting()
      try await idle.end()
      await #expect(throws: (any Error).self) { _ = try await RawClient.connect(port) }
      try await busy.send(String(Bodies.json.dropFirst(half)))
      let answer = try await busy.answer()
      #expect(answer.status == 200)
      #expect(answer.fields["connection"] == "close")
      try await busy.end()
      await server.drained()
    }
  }

  @Test func closeEndsRequests() async throws {
    try await withServer { port, service, server in
      let client = try await RawClient.connect(port)
      try await client.send(
        "POST /v2/models/slow/infer HTTP/1.1\r\nHost: t\r\nContent-Length: \(Bodies.json.utf8.count)\r\n\r\n\(Bodies.json)"
      )
      try await eventually { service.state.withLock { $0.running } == 1 }
      await server.close()
      try await eventually { service.state.withLock { $0.cancelled } == 1 }
      try await client.end()
    }
  }

  @Test func accessLog() async throws {
    let records = Records()
    let change: (inout HTTPOptions) -> Void = { options in
      options.accessLog = { record in records.list.withLock { $0.append(record) } }
    }
    try await withClient(change) { client, _ in
      _ = try await client.post(
        "/v2/models/add/infer", Bodies.json,
        "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n")
      let record = try #require(records.list.withLock { $0.first })
      #expect(record.status == 200)
      #expect(record.model == "add")
      #expect(record.bytesIn == Bodies.json.utf8.count)
      #expect(record.client == "127.0.0.1")
      #expect(record.requestID == "7")
      let fields = try JSONSerialization.jsonObject(with: Data(record.json.utf8)) as? [String: Any]
      #expect(fields?["trace_id"] as? String == "0af7651916cd43dd8448eb211c80319c")
      #expect(fields?["path"] as? String == "/v2/models/add/infer")
    }
  }

  @Test func aPortThatIsTakenIsAnError() async throws {
    try await withServer { port, _, _ in
      var options = HTTPOptions()
      options.port = port
      let second = try HTTPFrontEnd(options, service: FakeService())
      await #expect(throws: ServingError.self) { _ = try await second.start() }
    }
  }
}
