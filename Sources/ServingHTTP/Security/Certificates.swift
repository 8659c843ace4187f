import CoreMLServingInterface
import Logging
import NIOSSL
import Synchronization

/// The TLS configuration of new connections, from files that may change.
///
/// Files that are wrong leave the configuration as it is.
final class Certificates: Sendable {
  private let files: TLSFiles
  private let logger: Logger
  private let change: FileChange
  private let context: Mutex<NIOSSLContext>

  init(_ files: TLSFiles, logger: Logger) throws(ServingError) {
    (self.files, self.logger) = (files, logger)
    change = FileChange([files.certificate, files.key] + (files.clientAuthorities.map { [$0] } ?? []))
    context = Mutex(try Self.read(files))
  }

  func current() -> NIOSSLContext {
    if change.hasChanged() {
      do throws(ServingError) {
        let read = try Self.read(files)
        context.withLock { $0 = read }
        logger.info("certificates were read again", metadata: ["path": "\(files.certificate)"])
      } catch {
        logger.error("certificates stay as they were", metadata: ["error": "\(error.message)"])
      }
    }
    return context.withLock { $0 }
  }

  private static func read(_ files: TLSFiles) throws(ServingError) -> NIOSSLContext {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(files.certificate).map { NIOSSLCertificateSource.certificate($0) }
      let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      if let authorities = files.clientAuthorities {
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorities))
        configuration.certificateVerification = .noHostnameVerification
      }
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw ServingError(
        .invalidArgument, "The certificate \(files.certificate) with the key \(files.key) cannot be used: \(error).")
    }
  }
}
