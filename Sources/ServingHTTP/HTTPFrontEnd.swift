import CoreMLServingInterface
import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The REST protocol on a port.
///
/// `start` listens. `stopAccepting` closes the port and idle connections, and lets every answer close its connection.
/// `drained` returns when no connection is left. `close` ends those that are left.
package final class HTTPFrontEnd: Sendable {
  private let context: ServerContext
  private let connections = ConnectionTable()
  private let group: MultiThreadedEventLoopGroup
  private let listener = Mutex<(any Channel)?>(nil)

  /// - Throws: `invalidArgument` if the options do not fit each other, or a file cannot be used.
  package init(
    _ options: HTTPOptions, service: any InferenceService, logger: Logger = Logger(label: "coreml.serving.http")
  ) throws(ServingError) {
    let connections = connections
    context = try ServerContext(options, service, logger) { connections.count }
    // The rest of the cores belongs to the models.
    let loops = options.loopCount ?? (System.coreCount > 8 ? 2 : 1)
    group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, loops))
  }

  deinit { group.shutdownGracefully { _ in } }

  /// Listens.
  ///
  /// - Returns: The port.
  /// - Throws: `failed` if the address cannot be used.
  package func start() async throws(ServingError) -> Int {
    let options = context.options
    let setup = ConnectionSetup(context: context)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionLimit(options.limits.connections))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { [connections] channel in
        connections.add(channel)
        return channel.eventLoop.makeCompletedFuture { try setup.setUp(channel) }
      }
    do {
      let channel = try await bootstrap.bind(host: options.address, port: options.port).get()
      listener.withLock { $0 = channel }
      return channel.localAddress?.port ?? options.port
    } catch {
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
      throw ServingError(
        .failed, "The server cannot listen on \(options.address), port \(options.port): \(reason).")
    }
  }

  /// Closes the port. Connections end with the answer to their request.
  package func stopAccepting() {
    context.drain()
    listener.withLock { $0?.close(promise: nil) }
    connections.quiesce()
  }

  /// Returns when the port is closed and every connection has ended, after `stopAccepting`.
  package func drained() async {
    try? await listener.withLock { $0 }?.closeFuture.get()
    await connections.empty()
  }

  /// Ends all connections, and cancels their requests.
  package func close() async {
    stopAccepting()
    try? await listener.withLock { $0 }?.closeFuture.get()
    connections.closeAll()
    await drained()
  }

  /// The connections that are open.
  package var openConnections: Int { connections.count }
}
