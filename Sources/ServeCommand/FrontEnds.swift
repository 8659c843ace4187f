import CoreMLServingGRPC
import CoreMLServingHTTP
import CoreMLServingInterface
import Logging
import Synchronization

/// The protocols that the server speaks.
enum FrontEnds {
  /// - Throws: `invalidArgument` if the options do not fit each other, or name a file that cannot be used.
  static func all(_ options: ProtocolOptions, logger: Logger) throws(ServingError) -> [any FrontEnd] {
    let http = try options.http()
    return [
      HTTPListener(options: http, logger: logger), GRPCListener(options: try options.grpc(http, logger: logger)),
    ]
  }
}

/// The REST protocol.
private final class HTTPListener: FrontEnd {
  private let options: HTTPOptions
  private let logger: Logger
  private let frontEnd = Mutex<HTTPFrontEnd?>(nil)

  init(options: HTTPOptions, logger: Logger) { (self.options, self.logger) = (options, logger) }

  func start(_ service: any InferenceService) async throws(ServingError) -> String {
    let started = try HTTPFrontEnd(options, service: service, logger: logger)
    let port: Int
    do throws(ServingError) { port = try await started.start() } catch {
      throw ServingError(.unavailable, error.message)
    }
    frontEnd.withLock { $0 = started }
    return "\(options.tls == nil ? "http" : "https")://\(host(options.address)):\(port)"
  }

  func stopAccepting() async { frontEnd.withLock { $0 }?.stopAccepting() }

  func drained(within limit: Duration) async {
    guard let frontEnd = frontEnd.withLock({ $0 }) else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await frontEnd.drained() }
      group.addTask {
        // A cancelled sleep means that the connections have ended.
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        await frontEnd.close()
      }
      await group.next()
      group.cancelAll()
    }
  }
}

/// The protocol over gRPC.
private final class GRPCListener: FrontEnd {
  private let options: GRPCOptions
  private let frontEnd = Mutex<GRPCFrontEnd?>(nil)

  init(options: GRPCOptions) { self.options = options }

  func start(_ service: any InferenceService) async throws(ServingError) -> String {
    let started = GRPCFrontEnd(service: service, options: options)
    let port = try await started.start()
    frontEnd.withLock { $0 = started }
    return "\(options.tls == nil ? "grpc" : "grpcs")://\(host(options.host)):\(port)"
  }

  func stopAccepting() async { frontEnd.withLock { $0 }?.stopAccepting() }

  func drained(within limit: Duration) async {
    _ = await frontEnd.withLock { $0 }?.drained(within: limit)
  }
}

/// An address as it stands in a URL.
private func host(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }
