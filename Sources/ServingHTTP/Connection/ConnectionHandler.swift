import CoreMLServingInterface
import CoreMLServingProtocol
import NIOCore
import NIOHTTP1

/// Handles the requests of one connection, one after the other, on its event loop.
///
/// Bodies are read here, straight into tensors. Inference runs in a task. While it runs, the connection still reads, so
/// that it notices when the client goes away; then it cancels the task. Requests that arrive meanwhile wait.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  enum State {
    /// Waits for a head; with its first bytes, `isReadingHead` becomes true.
    case idle
    case body(Exchange)
    case running(Exchange)
    /// The answer is on its way.
    case writing(Exchange)
    /// Drops the rest of the body of a request that was refused.
    case dropping
    /// The answer is sent, and the connection will be closed: drops everything.
    case closing
  }

  /// A refused body of at most this size is read and dropped, so that the connection can be used again.
  static let smallRest = 64 << 10
  /// The most bytes of waiting requests before the connection stops reading.
  static let mostWaiting = 64 << 10

  let server: ServerContext
  let channel: any Channel
  var state = State.idle
  private(set) var isReadingHead = false
  private var waiting = CircularBuffer<HTTPServerRequestPart>()
  private var waitingBytes = 0
  private var isTakingWaiting = false
  private var isPaused = false
  private var isClientGone = false
  private(set) lazy var timer = ConnectionTimer(channel.eventLoop) { [unowned self] in timeIsOver() }
  private(set) var context: ChannelHandlerContext?

  init(_ server: ServerContext, _ channel: any Channel) {
    (self.server, self.channel) = (server, channel)
  }

  // MARK: Events of the channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    timer.set(server.options.limits.idleTime)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer.cancel()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer.cancel()
    clientIsGone()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    switch state {
    case .running, .writing:
      // Waits for its turn.
      waiting.append(part)
      if case .body(let bytes) = part { waitingBytes += bytes.readableBytes }
      if waitingBytes > Self.mostWaiting || waiting.count > 64 { pause(true) }
    default: take(part)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent:
      if case .idle = state, !isReadingHead { context.close(promise: nil) }
    case ChannelEvent.inputClosed:
      // A client that only ends its side cannot be told from one that went away.
      switch state {
      case .idle, .body, .dropping, .closing: context.close(promise: nil)
      case .running(let exchange):
        exchange.keepAlive = false
        if exchange.endsWithClient {
          clientIsGone()
          context.close(promise: nil)
        }
      case .writing(let exchange): exchange.keepAlive = false
      }
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else {
      context.close(promise: nil)
      return
    }
    switch state {
    case .idle: refuseHead(error == .headerOverflow ? 431 : 400, "The request is not valid HTTP: \(error).")
    case .body(let exchange):
      exchange.keepAlive = false
      respond(exchange, HTTPAnswer(ServingError(.invalidArgument, "The body is not valid HTTP: \(error).")))
    case .running(let exchange), .writing(let exchange): exchange.keepAlive = false
    case .dropping, .closing: context.close(promise: nil)
    }
  }

  // MARK: Heads

  /// Bytes have arrived that are not parsed yet.
  func willParse() {
    guard case .idle = state, !isReadingHead else { return }
    isReadingHead = true
    timer.set(server.options.limits.headTime)
  }

  func headIsTooLarge() {
    guard case .idle = state else { return }
    refuseHead(431, "The head exceeds the limit of \(server.options.limits.headBytes) bytes.")
  }

  private func refuseHead(_ status: Int, _ sentence: String) {
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "")
    let exchange = Exchange(head)
    exchange.keepAlive = false
    respond(exchange, .json(Documents.error(sentence), status: status))
  }

  private func timeIsOver() {
    switch state {
    case .idle where isReadingHead: refuseHead(408, "The head of the request did not arrive in time.")
    case .body(let exchange):
      exchange.keepAlive = false
      respond(exchange, .json(Documents.error("The body of the request did not arrive in time."), status: 408))
    case .running: break
    default: context?.close(promise: nil)
    }
  }

  // MARK: Parts

  private func take(_ part: HTTPServerRequestPart) {
    switch (part, state) {
    case (.head(let head), .idle):
      isReadingHead = false
      begin(head)
    case (.body(let bytes), .body(let exchange)): receive(bytes, exchange)
    case (.end, .body(let exchange)): finishBody(exchange)
    case (.end, .dropping): becomeIdle()
    default: break
    }
  }

  private func pause(_ isPaused: Bool) {
    guard self.isPaused != isPaused else { return }
    self.isPaused = isPaused
    try? channel.syncOptions?.setOption(.autoRead, value: !isPaused)
    if !isPaused { channel.read() }
  }

  /// Waits for the next request, which may be here already.
  private func becomeIdle() {
    state = .idle
    timer.set(server.options.limits.idleTime)
    takeWaiting()
    if case .idle = state, !isTakingWaiting, server.isDraining { context?.close(promise: nil) }
  }

  /// Handles the parts that wait, as if they arrived now.
  private func takeWaiting() {
    // An answer that is sent at once leads here again. The loop below goes on then, however many requests wait.
    guard !isTakingWaiting else { return }
    isTakingWaiting = true
    defer { isTakingWaiting = false }
    while true {
      switch state {
      case .running, .writing: return
      default: break
      }
      guard let part = waiting.popFirst() else { break }
      if case .body(let bytes) = part { waitingBytes -= bytes.readableBytes }
      take(part)
    }
    pause(false)
  }

  private func clientIsGone() {
    isClientGone = true
    switch state {
    case .body(let exchange), .running(let exchange), .writing(let exchange):
      if exchange.endsWithClient { exchange.task?.cancel() }
      if case .running = state, exchange.endsWithClient { note(exchange, status: 499, bytesOut: 0) }
    default: break
    }
    state = .closing
    waiting.removeAll()
  }

  // MARK: Answers

  /// Sends the answer to a request whose body may not be read completely.
  func respond(_ exchange: Exchange, _ answer: HTTPAnswer) {
    guard let context, !isClientGone else { return }
    exchange.requestID = answer.requestID ?? exchange.requestID
    let isUnread: Bool
    switch state {
    case .body: isUnread = exchange.hasBody
    // A head that is refused.
    case .idle: isUnread = true
    default: isUnread = false
    }
    if isUnread {
      // Reads the rest only if it is small.
      exchange.keepAlive = exchange.keepAlive && exchange.missing.map { $0 <= Self.smallRest } == true
    }
    let close = !exchange.keepAlive || server.isDraining
    var fields = answer.fields
    let count = answer.pieces.reduce(0) { $0 + $1.count }
    fields.add(name: "Content-Length", value: String(count))
    if close { fields.add(name: "Connection", value: "close") }
    if !close, exchange.head.version == .http1_0 { fields.add(name: "Connection", value: "keep-alive") }
    state = .writing(exchange)
    let seconds = count / max(server.options.limits.slowestRate, 1)
    timer.set(server.options.limits.idleTime + .seconds(seconds))

    let status = HTTPResponseStatus(statusCode: answer.status)
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))), promise: nil)
    if exchange.head.method != .HEAD {
      for piece in answer.pieces where piece.count > 0 {
        context.write(wrapOutboundOut(.body(.byteBuffer(AdoptedBuffer.buffer(piece)))), promise: nil)
      }
    }
    note(exchange, status: answer.status, bytesOut: count)
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { result in
      guard case .success = result else { return }
      self.answerIsSent(exchange, close: close, isUnread: isUnread)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
  }

  private func answerIsSent(_ exchange: Exchange, close: Bool, isUnread: Bool) {
    guard let context, !isClientGone else { return }
    if close || !exchange.keepAlive {
      // A socket that is closed with unread bytes is reset, and the client might lose the answer. So first only the
      // sending side is closed.
      state = .closing
      waiting.removeAll()
      timer.set(isUnread ? .seconds(1) : .seconds(5))
      if isUnread { context.close(mode: .output, promise: nil) } else { context.close(promise: nil) }
    } else if isUnread {
      // The end of the body may be among the parts that wait.
      state = .dropping
      timer.set(server.options.limits.idleTime)
      takeWaiting()
    } else {
      becomeIdle()
    }
  }

  private func note(_ exchange: Exchange, status: Int, bytesOut: Int) {
    server.counters.count(status: status)
    guard let log = server.options.accessLog else { return }
    log(exchange.record(status: status, bytesOut: bytesOut, client: channel.remoteAddress?.ipAddress ?? ""))
  }
}
