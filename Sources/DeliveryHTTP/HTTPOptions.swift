import CoreMLDelivery
import Foundation

/// Connection options of ``HTTPTransport``.
public struct HTTPOptions: Sendable {
  /// Whether `http` is permitted to other hosts than this machine. Only digests protect data received over `http`.
  public var allowsHTTP = false
  /// A file of PEM certificates that replaces the system's trusted certificates.
  public var certificates: URL?
  /// The proxies for requests; none by default.
  public var proxies = ProxySettings()
  /// User names and passwords of hosts. Credentials in a URL take precedence.
  public var logins = Netrc()
  /// Why the `.netrc` of the home folder is not used. Reported when a host requires credentials.
  var loginsProblem: DeliveryError?
  /// The timeout for a connection, including the TLS handshake.
  public var connectTimeout: Duration = .seconds(15)
  /// The timeout for the start of a response, including the connection.
  public var responseTimeout: Duration = .seconds(60)
  /// The timeout between two chunks of a response body.
  public var stallTimeout: Duration = .seconds(30)
  /// The maximum number of redirects per request.
  public var redirects = 10
  /// The runtime version sent to hosts, so that they can respond with suitable content.
  public var runtimeVersion: String

  /// Creates options that ignore the environment: no proxies, no credentials, the system's certificates.
  public init(runtimeVersion: String) { self.runtimeVersion = runtimeVersion }

  /// Creates options from the environment: proxies (``ProxySettings/init(environment:)``), `SSL_CERT_FILE`, and `NETRC`
  /// or `.netrc` in the home folder.
  ///
  /// - Throws: `DeliveryError` if a proxy is invalid, or if other users can read the file that `NETRC` names.
  public init(
    runtimeVersion: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    self.runtimeVersion = runtimeVersion
    proxies = try ProxySettings(environment: environment)
    if let path = environment["SSL_CERT_FILE"], !path.isEmpty { certificates = URL(filePath: path) }
    if let file = environment["NETRC"], !file.isEmpty {
      logins = try Netrc(file: URL(filePath: file))
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      // This file may be meant for other programs, so a problem with it must not affect requests without credentials.
      do { logins = try Netrc(file: URL(filePath: "\(home)/.netrc")) } catch let error as DeliveryError {
        loginsProblem = error
      }
    }
  }

  /// The headers of every request: runtime version and platform.
  var headers: [(String, String)] {
    [
      ("User-Agent", "coreml-runtime/\(runtimeVersion)"), ("X-CoreML-Runtime-Version", runtimeVersion),
      ("X-CoreML-Platform", Self.platform),
      // Digests and sizes refer to the file without a content encoding.
      ("Accept-Encoding", "identity"), ("Accept", "*/*"),
    ]
  }

  /// The operating system and architecture, such as `linux-x86_64`.
  static let platform: String = {
    #if os(Linux)
      let system = "linux"
    #elseif os(macOS)
      let system = "macos"
    #else
      let system = "other"
    #endif
    #if arch(x86_64)
      return "\(system)-x86_64"
    #elseif arch(arm64)
      return "\(system)-aarch64"
    #else
      return "\(system)-other"
    #endif
  }()
}
