import CoreMLBase
import CoreMLServingInterface
import CoreMLServingWire
import GRPCCore
import NIOPosix

/// What a caller may do. Each method of the protocol needs one scope.
package enum GRPCScope: String, Sendable, CaseIterable {
  case infer, read, admin
}

/// How the server listens, and what it accepts.
package struct GRPCOptions: Sendable {
  /// A host name, an address, or `unix:` and a path.
  package var host = "127.0.0.1"
  /// 0: the system chooses a free port.
  package var port = 9000
  /// Nil: no TLS.
  package var tls: TLS?
  /// Decides by the bearer token of a call, if it has one. Nil: everyone may do everything.
  ///
  /// - Throws: `unauthenticated`, `forbidden`.
  package var authorize: (@Sendable (_ token: String?, _ scope: GRPCScope) throws(ServingError) -> Void)?
  /// The name and the version that `ServerMetadata` answers with.
  package var name = "coreml-runtime"
  package var version = PackageVersion.current

  /// The largest message in bytes, after decompression.
  package var maxMessageBytes = 64 << 20
  /// Bytes that a client may send ahead, for each stream. The default of HTTP/2, 64 KiB, slows large tensors.
  package var windowBytes = 8 << 20
  package var maxStreams = 100
  package var maxConnections = 1024
  /// Requests of one `ModelStreamInfer` that wait or run at the same time.
  package var maxStreamRequests = 8
  /// A connection without a call is closed after this time.
  package var maxIdle = Duration.seconds(300)
  /// After this time without data the server asks whether the client is still there.
  package var keepaliveTime = Duration.seconds(60)
  package var keepaliveTimeout = Duration.seconds(20)
  /// A client may ask as often whether the server is still there.
  package var minPingInterval = Duration.seconds(5)
  /// How often `Watch` of the health service looks at the state.
  package var watchInterval = Duration.milliseconds(250)
  package var wireLimits = WireLimits()
  package var eventLoopGroup = MultiThreadedEventLoopGroup.singletonMultiThreadedEventLoopGroup

  package init() {}

  /// Files in PEM format.
  package struct TLS: Sendable {
    package var certificateChain: String
    package var privateKey: String
    /// The authorities whose certificates clients must have; nil: clients need no certificate.
    package var clientAuthorities: String?
    /// How often changed files are looked for.
    package var reloadInterval = Duration.seconds(60)

    package init(certificateChain: String, privateKey: String, clientAuthorities: String? = nil) {
      (self.certificateChain, self.privateKey) = (certificateChain, privateKey)
      self.clientAuthorities = clientAuthorities
    }
  }
}
