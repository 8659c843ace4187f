import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A host on loopback that sends exactly the bytes that a test specifies, valid or not.
final class FaultServer: Sendable {
  struct Request: Sendable {
    /// The index of the request, counted from 0 over all connections.
    let number: Int
    let method: String
    let target: String
    /// The headers, by lowercase name.
    let headers: [String: String]

    /// The first byte of the requested range.
    var offset: Int? { headers["range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } }
  }

  enum Step: Sendable {
    case send([UInt8])
    case close
    /// Continues with TLS, like a proxy's tunnel.
    case startTLS
  }

  typealias Answer = @Sendable (Request) -> [Step]

  private let channel: any Channel
  private let log: Log
  let port: Int

  /// - Parameter tls: the TLS context for `https`; nil for `http`.
  init(tls: NIOSSLContext? = nil, tunnel: NIOSSLContext? = nil, answer: @escaping Answer) async throws {
    let log = Log()
    self.log = log
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
          try channel.pipeline.syncOperations.addHandler(Handler(log, tunnel, answer))
        }
      }.bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }

  func stop() async throws { try await channel.close() }

  /// The requests, in order.
  var requests: [Request] { log.requests.withLock { $0 } }

  func url(_ path: String, scheme: String = "http", host: String = "127.0.0.1") -> String {
    "\(scheme)://\(host):\(port)\(path)"
  }

  static func context(_ certificate: String, _ key: String) throws -> NIOSSLContext {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map {
      NIOSSLCertificateSource.certificate($0)
    }
    let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
    return try NIOSSLContext(
      configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
  }

  private final class Log: Sendable { let requests = Mutex<[Request]>([]) }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: Log
    private let tunnel: NIOSSLContext?
    private let answer: Answer
    private var received: [UInt8] = []

    init(_ log: Log, _ tunnel: NIOSSLContext?, _ answer: @escaping Answer) {
      (self.log, self.tunnel, self.answer) = (log, tunnel, answer)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      received += unwrapInboundIn(data).readableBytesView
      if received.first == 0x16 {
        // A TLS handshake on a connection without TLS.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: Reply.head(400, []))), promise: nil)
        return context.close(promise: nil)
      }
      guard received.suffix(4) == Array("\r\n\r\n".utf8)[...] else { return }
      let lines = String(decoding: received, as: UTF8.self).split(separator: "\r\n")
      received = []
      let words = (lines.first ?? "").split(separator: " ").map(String.init)
      let headers = lines.dropFirst().compactMap { line -> (String, String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (line[..<colon].lowercased(), String(value))
      }
      guard words.count == 3 else { return context.close(promise: nil) }
      let request = log.requests.withLock { requests in
        let request = Request(
          number: requests.count, method: words[0], target: words[1], headers: Dictionary(headers) { $1 })
        requests.append(request)
        return request
      }
      for step in answer(request) {
        switch step {
        case .send(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .close: context.close(promise: nil)
        case .startTLS:
          guard let tunnel else { return context.close(promise: nil) }
          try? context.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tunnel), position: .first)
        }
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}

/// The bytes of typical responses.
enum Reply {
  static func head(_ status: Int, _ headers: [(String, String)]) -> [UInt8] {
    Array("HTTP/1.1 \(status) Some\r\n\(headers.map { "\($0): \($1)\r\n" }.joined())\r\n".utf8)
  }

  /// An interim response, as sent before a slow response.
  static let interim = Array("HTTP/1.1 100 Continue\r\nX-At-Work: yes\r\n\r\n".utf8)

  /// A response without a body.
  static func status(_ status: Int, _ headers: [(String, String)] = []) -> [FaultServer.Step] {
    [.send(head(status, headers + [("Content-Length", "0")]))]
  }

  /// The response of a correct host: the whole file, or the requested range if the validator matches.
  ///
  /// - Parameter cut: closes the connection after this number of body bytes.
  static func file(
    _ request: FaultServer.Request, _ bytes: [UInt8] = Sample.bytes, tag: String? = "\"v1\"", changed: String? = nil,
    headers: [(String, String)] = [], cut: Int? = nil
  ) -> [FaultServer.Step] {
    var headers = headers
    if let tag { headers.append(("ETag", tag)) }
    if let changed { headers += [("Last-Modified", changed), ("Date", Sample.date)] }
    let holds = request.headers["if-range"].map { $0 == tag || $0 == changed } ?? true
    var (status, body) = (200, bytes[...])
    if let offset = request.offset, holds, offset < bytes.count {
      (status, body) = (206, bytes[offset...])
      headers.append(("Content-Range", "bytes \(offset)-\(bytes.count - 1)/\(bytes.count)"))
    }
    headers.append(("Content-Length", "\(body.count)"))
    let sent = cut.map { body.prefix($0) } ?? body
    return [.send(head(status, headers) + sent)] + (cut == nil ? [] : [.close])
  }
}

enum Sample {
  /// 300 kB without repetitions.
  static let bytes = make(300_000, seed: 1)
  static let other = make(290_000, seed: 2)
  static let sha256 = Self.digest(bytes)
  /// The host's time, and earlier times.
  static let date = "Sun, 06 Nov 2022 09:00:00 GMT"
  static let longBefore = "Sun, 06 Nov 2022 08:49:37 GMT"
  static let justBefore = "Sun, 06 Nov 2022 08:59:30 GMT"

  private static func make(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40)
    }
  }
}
