import NIOCore
import NIOHTTP1

/// A host sent more interim answers (RFC 9110, 15.2) before its answer than any honest host does.
struct TooManyInterimAnswers: Error {}

/// Counts the interim answers (1xx) that come before an answer, and ends the connection when there are too many. The decoder behind it drops
/// them, so that a host could send them for ever.
///
/// It sees the bytes of one connection, which asks for one thing after the other.
final class InterimAnswers: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  static let limit = 32

  private enum Place {
    /// So many bytes of a status line, `HTTP/1.1 100`, have come.
    case statusLine(Int)
    /// In the head of an interim answer; so many bytes of its present line have come.
    case interimHead(Int)
    /// In the answer itself, which concerns others.
    case answer
  }

  private var place = Place.statusLine(0)
  private var count = 0

  /// Has a connection counted from now on.
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
      // The first digit of the status. 101 is an answer, and one that nobody asked for.
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
