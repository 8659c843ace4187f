import CoreMLServingInterface
import CoreMLServingMessages
import CoreMLServingWire
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import NIOCore
import Synchronization

/// A server of the Open Inference Protocol over gRPC.
///
/// `start` once; then `stopAccepting` and `drained` to end it.
package final class GRPCFrontEnd: Sendable {
  private struct Running: Sendable {
    let server: GRPCServer<HTTP2ServerTransport.Posix>
    let serving: Task<Void, any Error>
    let reloading: Task<Void, any Error>
    var port: Int?
  }

  private let service: any InferenceService
  private let options: GRPCOptions
  private let load = Load()
  private let running = Mutex<Running?>(nil)

  package init(service: any InferenceService, options: GRPCOptions = GRPCOptions()) {
    (self.service, self.options) = (service, options)
  }

  /// Listens, and returns the port; 0 for a socket file.
  package func start() async throws(ServingError) -> Int {
    let security = try Security(options.tls)
    let transport = HTTP2ServerTransport.Posix(
      address: try address(), transportSecurity: security.transport, config: configuration(),
      eventLoopGroup: options.eventLoopGroup)
    let server = GRPCServer(transport: transport, router: try router())
    let started = Running(
      server: server, serving: Task { try await server.serve() }, reloading: Task { try await security.reload() })
    running.withLock { $0 = started }
    do {
      let address = try await transport.listeningAddress
      let port = address.ipv4?.port ?? address.ipv6?.port ?? 0
      running.withLock { $0?.port = port }
      return port
    } catch {
      var cause: any Error = error
      do { try await started.serving.value } catch { cause = error }
      started.reloading.cancel()
      if let runtime = cause as? RuntimeError, let inner = runtime.cause { cause = inner }
      let reason = (cause as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(cause)"
      throw ServingError(.unavailable, "The server cannot listen on \(options.host), port \(options.port): \(reason).")
    }
  }

  /// The port that the server listens on; 0 for a socket file, and nil before `start` has returned.
  package var port: Int? { running.withLock { $0?.port } }

  /// Tells clients to open no more calls here. Calls that run go on.
  package func stopAccepting() {
    load.drain()
    running.withLock { $0 }?.server.beginGracefulShutdown()
  }

  /// Waits until the calls that run have ended, and ends the rest after the limit. Streams that are open without a
  /// request are ended as soon as no request runs.
  ///
  /// - Returns: whether no request had to be ended.
  package func drained(within limit: Duration) async -> Bool {
    guard let current = running.withLock({ $0 }) else { return true }
    defer { current.reloading.cancel() }
    let ended = Mutex(false)
    let watcher = Task {
      _ = await current.serving.result
      ended.withLock { $0 = true }
    }
    let end = ContinuousClock.now + limit
    var idleSince: ContinuousClock.Instant?
    while !ended.withLock({ $0 }), .now < end, !Task.isCancelled {
      if !load.isIdle {
        idleSince = nil
      } else if let since = idleSince {
        // Long enough for the last answers to be written.
        if since + .milliseconds(200) < .now { break }
      } else {
        idleSince = .now
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
    let isComplete = load.isIdle
    current.serving.cancel()
    await watcher.value
    return isComplete
  }

  private func router() throws(ServingError) -> RPCRouter<HTTP2ServerTransport.Posix> {
    var router = RPCRouter<HTTP2ServerTransport.Posix>()
    ProtocolService(service: service, options: options).registerMethods(with: &router)
    HealthService(service: service, load: load, watchInterval: options.watchInterval).registerMethods(with: &router)
    try ReflectionService().register(with: &router)
    let call = InferCall(service: service, load: load)
    let stream = InferStream(call: call, limit: options.maxStreamRequests)
    let deserializer = InferDeserializer(
      reader: InferRequestReader(limits: options.wireLimits), limit: options.maxMessageBytes)
    router.registerHandler(
      forMethod: Inference_GRPCInferenceService.Method.ModelInfer.descriptor, deserializer: deserializer,
      serializer: InferSerializer()
    ) { request, _ in try await call.answer(request) }
    router.registerHandler(
      forMethod: Inference_GRPCInferenceService.Method.ModelStreamInfer.descriptor, deserializer: deserializer,
      serializer: InferSerializer()
    ) { request, _ in stream.answer(request) }
    if let authorize = options.authorize {
      router.registerInterceptors(pipeline: [.apply(Authorization(authorize: authorize), to: .all)])
    }
    return router
  }

  private func configuration() -> HTTP2ServerTransport.Posix.Config {
    .defaults { config in
      config.compression.enabledAlgorithms = [.gzip, .deflate]
      config.rpc.maxRequestPayloadSize = options.maxMessageBytes + options.maxMessageBytes / 4
      config.http2.targetWindowSize = options.windowBytes
      config.http2.maxConcurrentStreams = options.maxStreams
      config.connection.maxIdleTime = options.maxIdle
      config.connection.keepalive.time = options.keepaliveTime
      config.connection.keepalive.timeout = options.keepaliveTimeout
      config.connection.keepalive.clientBehavior.minPingIntervalWithoutCalls = options.minPingInterval
      config.connection.keepalive.clientBehavior.allowWithoutCalls = true
      let limit = ConnectionLimit(options.maxConnections)
      config.channelDebuggingCallbacks.onAcceptTCPConnection = { limit.accept($0) }
    }
  }

  private func address() throws(ServingError) -> GRPCNIOTransportCore.SocketAddress {
    if options.host.hasPrefix("unix:") { return .unixDomainSocket(path: String(options.host.dropFirst(5))) }
    do {
      let resolved = try NIOCore.SocketAddress.makeAddressResolvingHost(options.host, port: options.port)
      guard let address = resolved.ipAddress else { throw SocketAddressError.unsupported }
      return address.contains(":") ? .ipv6(host: address, port: options.port) : .ipv4(host: address, port: options.port)
    } catch {
      throw ServingError(.invalidArgument, "The address '\(options.host)' is unknown: \(error)")
    }
  }
}
