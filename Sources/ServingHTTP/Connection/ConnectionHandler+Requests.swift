import CoreMLServingInterface
import CoreMLServingProtocol
import NIOCore
import NIOHTTP1

/// From the head of a request to its answer.
extension ConnectionHandler {
  /// The largest body of a request that is not an inference.
  private static let longestDocument = 1 << 20

  func begin(_ head: HTTPRequestHead) {
    let exchange = Exchange(head)
    state = .body(exchange)
    do throws(ServingError) {
      if let answer = try readHead(exchange) {
        respond(exchange, answer)
        return
      }
      try answerExpectation(exchange)
      timer.set(server.options.limits.idleTime)
    } catch {
      refuse(exchange, error)
    }
  }

  /// - Returns: The answer if the method does not fit the path.
  private func readHead(_ exchange: Exchange) throws(ServingError) -> HTTPAnswer? {
    let head = exchange.head
    exchange.contentLength = try contentLength(head)
    guard head.version.major == 1 else { throw ServingError(.unsupported, "The server speaks HTTP/1.1.") }
    guard head.version == .http1_0 || head.headers["host"].count == 1 else {
      throw ServingError(.invalidArgument, "The request needs one 'Host'.")
    }
    exchange.route = try Route(target: head.uri)
    let isPage = exchange.route == .unknown && server.options.pages != nil
    let methods = exchange.route.methods
    if !isPage {
      guard !methods.isEmpty else {
        throw ServingError(.notFound, "There is no path '\(head.uri.prefix(256))'.")
      }
      guard methods.contains(head.method.rawValue) else { return Self.wrongMethod(head.method, methods) }
    }
    let isChange = isPage && head.method != .GET && head.method != .HEAD
    exchange.user = try server.access.check(isChange ? .admin : exchange.route.scope, head.headers)
    if case .unsupported(let sentence) = exchange.route { throw ServingError(.unsupported, sentence) }
    if case .infer(let model, let version) = exchange.route {
      try server.begin(exchange, model: model, version: version)
    } else if let length = exchange.contentLength, length > Self.longestDocument {
      throw RequestAssembler.tooLarge(Self.longestDocument)
    }
    return nil
  }

  private static func wrongMethod(_ method: HTTPMethod, _ methods: [String]) -> HTTPAnswer {
    let list = methods.joined(separator: ", ")
    var answer = HTTPAnswer.json(
      Documents.error("The path has the methods \(list), and not \(method.rawValue)."), status: 405)
    answer.fields.add(name: "Allow", value: list)
    return answer
  }

  /// The parser has checked that there is at most one, and no transfer encoding beside it.
  private func contentLength(_ head: HTTPRequestHead) throws(ServingError) -> Int? {
    let values = head.headers["content-length"]
    guard let value = values.first else { return head.headers.contains(name: "transfer-encoding") ? nil : 0 }
    guard values.count == 1, let length = Int(value), length >= 0 else {
      throw ServingError(.invalidArgument, "The 'Content-Length' is not one integer from 0.")
    }
    return length
  }

  /// Asks for the body if the client waits for that.
  private func answerExpectation(_ exchange: Exchange) throws(ServingError) {
    guard let value = exchange.head.headers.first(name: "expect"), exchange.head.version != .http1_0 else { return }
    guard value.lowercased() == "100-continue" else {
      throw ServingError(.invalidArgument, "The expectation '\(value.prefix(64))' is not known.")
    }
    context?.writeAndFlush(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
  }

  func receive(_ bytes: ByteBuffer, _ exchange: Exchange) {
    exchange.bytesIn += bytes.readableBytes
    do throws(ServingError) {
      try timeBody(exchange)
      if let assembler = exchange.assembler {
        try receive(bytes, exchange, assembler)
      } else {
        bytes.withUnsafeReadableBytes { exchange.body.append($0) }
        guard exchange.bytesIn <= Self.longestDocument else { throw RequestAssembler.tooLarge(Self.longestDocument) }
        try exchange.body.check()
      }
    } catch {
      refuse(exchange, error)
    }
  }

  /// A body may pause, but has to keep an average rate.
  private func timeBody(_ exchange: Exchange) throws(ServingError) {
    let limits = server.options.limits
    let allowed = limits.idleTime + .seconds(exchange.bytesIn / max(limits.slowestRate, 1))
    let left = allowed - exchange.arrival.duration(to: .now)
    timer.set(max(.milliseconds(1), min(left, limits.idleTime)))
  }

  private func receive(
    _ bytes: ByteBuffer, _ exchange: Exchange, _ assembler: RequestAssembler
  ) throws(ServingError) {
    let result = bytes.withUnsafeReadableBytes { buffer -> Result<Void, ServingError> in
      do throws(ServingError) {
        if let inflater = exchange.inflater {
          try inflater.append(buffer) { bytes throws(ServingError) in
            if try assembler.append(bytes) { try self.admitAgain(exchange, assembler) }
          }
        } else if try assembler.append(buffer) {
          try admitAgain(exchange, assembler)
        }
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Asks once more when the JSON tells the client's deadline, while most tensors have not arrived.
  private func admitAgain(_ exchange: Exchange, _ assembler: RequestAssembler) throws(ServingError) {
    guard let head = assembler.head, case .infer(let model, let version) = exchange.route else { return }
    exchange.requestID = head.id
    guard let timeout = try RequestParameters(head.parameters).timeout else { return }
    try server.service.admit(
      model: model, version: version, byteCount: try head.binaryByteCount(),
      deadline: [exchange.arrival + timeout, exchange.deadline].compactMap { $0 }.min())
  }

  func finishBody(_ exchange: Exchange) {
    let head = exchange.head
    state = .running(exchange)
    timer.clear()
    switch exchange.route {
    case .infer(let model, let version): infer(exchange, model, version)
    case .load, .unload: changeRepository(exchange)
    case .unknown: page(exchange)
    default:
      do throws(ServingError) {
        var answer = try server.document(exchange.route, body: exchange.body)
        try answer.compress(acceptEncoding: head.headers.first(name: "accept-encoding"))
        respond(exchange, answer)
      } catch { respond(exchange, HTTPAnswer(error)) }
    }
  }

  /// Refuses a request. Its work ends; its body may be unread.
  func refuse(_ exchange: Exchange, _ error: ServingError) {
    // Nobody knows whether a client that waited for permission still sends the body.
    if exchange.head.headers.contains(name: "expect") { exchange.keepAlive = false }
    exchange.assembler = nil
    exchange.inflater = nil
    respond(exchange, HTTPAnswer(error))
  }
}
