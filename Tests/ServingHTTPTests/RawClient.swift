import Foundation
import NIOCore
import NIOPosix
import NIOSSL

@testable import CoreMLServingHTTP

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
  private let bytes: AsyncStream<ByteBuffer?>
  private let reader: Task<Void, Never>
  private let state = NIOLockedBuffer()

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
    let (stream, continuation) = AsyncStream<ByteBuffer?>.makeStream()
    bytes = stream
    reader = Task {
      try? await channel.executeThenClose { inbound, _ in
        for try await buffer in inbound { continuation.yield(buffer) }
      }
      continuation.yield(nil)
      continuation.finish()
    }
  }

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async throws {
    try await channel.channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
  }

  func close() async { try? await channel.channel.close().get() }
  func closeOutput() async { try? await channel.channel.close(mode: .output).get() }

  /// The next answer. Informational ones are answers, too.
  func answer(within limit: Duration = .seconds(20), isHead: Bool = false) async throws -> Answer {
    try await state.take(bytes, limit) { buffer in
      guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
      let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let status = Int(lines[0].split(separator: " ")[1])!
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
      }
      let length = isHead ? 0 : Int(fields["content-length"] ?? "0")!
      guard buffer.count >= end.upperBound + length else { return nil }
      let body = Array(buffer[end.upperBound..<end.upperBound + length])
      buffer.removeFirst(end.upperBound + length)
      return Answer(status: status, fields: fields, body: body)
    }
  }

  /// Waits until the server closes the connection.
  func end(within limit: Duration = .seconds(20)) async throws {
    do { _ = try await state.take(bytes, limit) { _ -> Int? in nil } } catch is Closed {}
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
actor NIOLockedBuffer {
  private var buffer: [UInt8] = []
  private var isClosed = false

  func take<Value: Sendable>(
    _ bytes: AsyncStream<ByteBuffer?>, _ limit: Duration, _ read: @Sendable (inout [UInt8]) -> Value?
  ) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
      if let value = read(&buffer) { return value }
      guard !isClosed else { throw RawClient.Closed(rest: String(decoding: buffer, as: UTF8.self)) }
      let next = try await withThrowingTaskGroup(of: ByteBuffer??.self) { group in
        group.addTask {
          var iterator = bytes.makeAsyncIterator()
          return await iterator.next()
        }
        group.addTask {
          try await Task.sleep(until: deadline)
          throw RawClient.Timeout()
        }
        defer { group.cancelAll() }
        return try await group.next()!
      }
      if case .some(.some(let piece)) = next { buffer += Array(piece.readableBytesView) } else { isClosed = true }
    }
  }
}
