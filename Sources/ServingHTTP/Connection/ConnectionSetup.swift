import NIOCore
import NIOHTTP1
import NIOSSL

/// Makes the handlers of a connection.
///
/// The pieces of a body go from the socket's buffer straight into tensors on the event loop. A framework whose bodies
/// are asynchronous sequences would wake a task for each piece.
struct ConnectionSetup: Sendable {
  let context: ServerContext

  /// Call it on the channel's event loop.
  func setUp(_ channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    if let certificates = context.certificates {
      try pipeline.addHandler(NIOSSLServerHandler(context: certificates.current()))
    }
    let handler = ConnectionHandler(context, channel)
    try pipeline.addHandler(HeadGuard(handler, limit: context.options.limits.headBytes))
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = context.options.limits.headBytes
    limits.maxHeaderListSize = context.options.limits.headBytes
    // Without pipelining assistance, which would stop reading during a request, so that nobody would notice that the
    // client went away.
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
      withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(handler)
    // Large bodies arrive in fewer pieces.
    try channel.syncOptions?.setOption(
      .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 << 10))
  }
}
