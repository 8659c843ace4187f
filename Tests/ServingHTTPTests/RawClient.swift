import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Sends bytes as they are and reads answers, so that tests can break the protocol.
final class RawClient: Sendable {
  struct Answer {
    var status: Int
    var fields: [String: String]
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
  }
  struct Timeout: Error {}
  struct Closed: Error { var rest: String }

  private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
  private let received: Received

  static func connect(_ port: Int, tls: NIOSSLContext? = nil) async throws -> RawClient {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil))
          }
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
      }
    return RawClient(channel)
  }

  private init(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
    self.channel = channel
    let received = Received()
    self.received = received
    Task {
      try? await channel.executeThenClose { inbound, _ in
        for try await buffer in inbound { received.append(Array(buffer.readableBytesView)) }
      }
      received.close()
    }
  }

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async throws {
    try await channel.channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
  }

  func close() async { try? await channel.channel.close().get() }
  func closeOutput() async { try? await channel.channel.close(mode: .output).get() }

  /// The next answer. Informational ones are answers, too.
  func answer(within limit: Duration = .seconds(1800), isHead: Bool = false) async throws -> Answer {
    try await received.take(limit) { buffer in
      guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
      let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
      }
      let length = isHead ? 0 : Int(fields["content-length"] ?? "0") ?? 0
      guard buffer.count >= end.upperBound + length else { return nil }
      let body = Array(buffer[end.upperBound..<end.upperBound + length])
      buffer.removeFirst(end.upperBound + length)
      return Answer(status: status, fields: fields, body: body)
    }
  }

  /// Waits until the server closes the connection.
  func end(within limit: Duration = .seconds(1800)) async throws {
    do { _ = try await received.take(limit) { _ -> Int? in nil } } catch is Closed {}
  }

  func get(_ path: String, _ fields: String = "") async throws -> Answer {
    try await send("GET \(path) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
    return try await answer()
  }

  func post(_ path: String, _ body: [UInt8], _ fields: String = "") async throws -> Answer {
    try await send(
      Array("POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.count)\r\n\(fields)\r\n".utf8) + body)
    return try await answer()
  }

  func post(_ path: String, _ body: String, _ fields: String = "") async throws -> Answer {
    try await post(path, Array(body.utf8), fields)
  }
}

/// The bytes that have arrived and are not read.
private final class Received: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isClosed = false
  }
  private let state = Mutex(State())

  func append(_ bytes: [UInt8]) { state.withLock { $0.bytes += bytes } }
  func close() { state.withLock { $0.isClosed = true } }

  /// Waits until `read` finds what it looks for.
  func take<Value: Sendable>(
    _ limit: Duration, _ read: (inout [UInt8]) -> Value?
  ) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
      let (value, isClosed) = state.withLock { state -> (Value?, Bool) in
        let isClosed = state.isClosed
        return (read(&state.bytes), isClosed)
      }
      if let value { return value }
      guard !isClosed else {
        throw RawClient.Closed(rest: String(decoding: state.withLock { $0.bytes }, as: UTF8.self))
      }
      guard .now < deadline else { throw RawClient.Timeout() }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
