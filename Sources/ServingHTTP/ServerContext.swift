import CoreMLServingInterface
import Logging
import Synchronization

/// What all connections share.
final class ServerContext: Sendable {
  let options: HTTPOptions
  let service: any InferenceService
  let logger: Logger
  let access: AccessControl
  let certificates: Certificates?
  let counters: HTTPCounters
  private let draining = Atomic<Bool>(false)

  init(
    _ options: HTTPOptions, _ service: any InferenceService, _ logger: Logger,
    openConnections: @escaping @Sendable () -> Int
  ) throws(ServingError) {
    try options.check()
    counters = HTTPCounters(openConnections: openConnections)
    (self.options, self.service, self.logger) = (options, service, logger)
    if let files = options.tls { certificates = try Certificates(files, logger: logger) } else { certificates = nil }
    if let path = options.tokenFile {
      access = AccessControl(options, tokens: try TokenBook(path: path, logger: logger))
    } else {
      access = AccessControl(options, tokens: nil)
    }
  }

  /// Whether answers close their connections.
  var isDraining: Bool { draining.load(ordering: .relaxed) }
  func drain() { draining.store(true, ordering: .relaxed) }
}
