import CoreMLServingInterface
import GRPCNIOTransportHTTP2Posix
import NIOCertificateReloading

/// TLS of a server: certificates that are read again when their files change.
struct Security: Sendable {
  let transport: HTTP2ServerTransport.Posix.TransportSecurity
  private let reloader: TimedCertificateReloader?

  init(_ options: GRPCOptions.TLS?) throws(ServingError) {
    guard let options else {
      (transport, reloader) = (.plaintext, nil)
      return
    }
    do {
      let reloader = try TimedCertificateReloader.makeReloaderValidatingSources(
        refreshInterval: options.reloadInterval,
        certificateSource: .init(location: .file(path: options.certificateChain), format: .pem),
        privateKeySource: .init(location: .file(path: options.privateKey), format: .pem))
      transport = try .tls(certificateReloader: reloader) { tls in
        guard let authorities = options.clientAuthorities else { return }
        tls.trustRoots = .certificates([.file(path: authorities, format: .pem)])
        tls.clientCertificateVerification = .noHostnameVerification
      }
      self.reloader = reloader
    } catch {
      throw ServingError(
        .invalidArgument,
        "The certificate '\(options.certificateChain)' and the key '\(options.privateKey)' cannot be used: \(error)")
    }
  }

  /// Looks for changed files until its task is cancelled.
  func reload() async throws { try await reloader?.run() }
}
