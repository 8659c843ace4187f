import NIOCore
import NIOHTTP1

/// A host sent more interim responses (RFC 9110, 15.2) than the limit.
struct TooManyInterimAnswers: Error {}

/// Counts the interim responses (1xx) before a response, and closes the connection if there are too many. The decoder
/// behind this handler discards them, so a host could otherwise send them forever.
///
/// The handler sees the bytes of one connection, with one request at a time.
final class InterimAnswers: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  static let limit = 32

  private enum Place {
    /// In a status line such as `HTTP/1.1 100`, with the number of bytes received so far.
    case statusLine(Int)
    /// In the header of an interim response, with the number of bytes received of the current line.
    case interimHead(Int)
    /// In the final response, which other handlers process.
    case answer
  }

  private var place = Place.statusLine(0)
  private var count = 0

  /// Adds the handler to a connection.
  static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      try pipeline.addHandler(InterimAnswers(), position: .before(decoder))
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    (place, count) = (.statusLine(0), 0)
    context.write(data, promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    for byte in unwrapInboundIn(data).readableBytesView {
      if case .answer = place { break }
      take(byte)
      if count > Self.limit {
        context.fireErrorCaught(TooManyInterimAnswers())
        context.close(promise: nil)
        return
      }
    }
    context.fireChannelRead(data)
  }

  private func take(_ byte: UInt8) {
    switch place {
    case .statusLine(let length):
      // This is the first digit of the status. 101 is a final response, but no request asks for it.
      guard length == 9 else { return place = .statusLine(length + 1) }
      place = byte == UInt8(ascii: "1") ? .interimHead(length + 1) : .answer
    case .interimHead(let length):
      if byte == UInt8(ascii: "\r") { return }
      guard byte == UInt8(ascii: "\n") else { return place = .interimHead(length + 1) }
      guard length == 0 else { return place = .interimHead(0) }
      count += 1
      place = .statusLine(0)
    case .answer: return
    }
  }
}
