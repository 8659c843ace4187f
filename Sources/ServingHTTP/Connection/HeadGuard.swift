import NIOCore

/// Tells the connection when a head begins, and limits its bytes. It sees them before they are parsed.
final class HeadGuard: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: ConnectionHandler
  private let limit: Int
  private var count = 0

  init(_ connection: ConnectionHandler, limit: Int) { (self.connection, self.limit) = (connection, limit) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let size = unwrapInboundIn(data).readableBytes
    connection.willParse()
    context.fireChannelRead(data)
    // The head may be complete now, and further bytes its body.
    count = connection.isReadingHead ? count + size : 0
    if count > limit { connection.headIsTooLarge() }
  }
}
