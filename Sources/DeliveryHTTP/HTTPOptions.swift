import CoreMLDelivery
import Foundation

/// How ``HTTPTransport`` connects.
public struct HTTPOptions: Sendable {
  /// Whether `http` may go to other machines than this one. What comes over it is protected by nothing but its digest.
  public var allowsHTTP = false
  /// A file of PEM certificates that hosts are checked against, in place of the system's.
  public var certificates: URL?
  /// Which proxies requests go through; none unless something else is said.
  public var proxies = ProxySettings()
  /// Names and passwords of hosts; those of a URL go before them.
  public var logins = Netrc()
  /// Why those of the home folder are not used; told where a host asks for them.
  var loginsProblem: DeliveryError?
  /// The longest wait for a connection, TLS included.
  public var connectTimeout: Duration = .seconds(15)
  /// The longest wait for the beginning of an answer, the connection included.
  public var responseTimeout: Duration = .seconds(60)
  /// The longest wait for the next bytes of an answer.
  public var stallTimeout: Duration = .seconds(30)
  /// The most redirects that are followed for one request.
  public var redirects = 10
  /// The version that the host is told, so that it can answer with what this version can run.
  public var runtimeVersion: String

  /// Options that heed nothing of the environment: no proxies, no passwords, the certificates of the system.
  public init(runtimeVersion: String) { self.runtimeVersion = runtimeVersion }

  /// The options that the environment asks for: proxies (``ProxySettings/init(environment:)``), `SSL_CERT_FILE`, and `NETRC` or else `.netrc` in
  /// the home folder.
  ///
  /// - Throws: `DeliveryError` when a proxy is set that cannot be used, or when others can read the file that `NETRC` names.
  public init(
    runtimeVersion: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    self.runtimeVersion = runtimeVersion
    proxies = try ProxySettings(environment: environment)
    if let path = environment["SSL_CERT_FILE"], !path.isEmpty { certificates = URL(filePath: path) }
    if let file = environment["NETRC"], !file.isEmpty {
      logins = try Netrc(file: URL(filePath: file))
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      // It may be meant for other programs: nothing fails for it that does without.
      do { logins = try Netrc(file: URL(filePath: "\(home)/.netrc")) } catch let error as DeliveryError {
        loginsProblem = error
      }
    }
  }

  /// Headers of every request: who asks, and on what machine.
  var headers: [(String, String)] {
    [
      ("User-Agent", "coreml-runtime/\(runtimeVersion)"), ("X-CoreML-Runtime-Version", runtimeVersion),
      ("X-CoreML-Platform", Self.platform),
      // The digest and the size are those of the file itself.
      ("Accept-Encoding", "identity"), ("Accept", "*/*"),
    ]
  }

  /// Operating system and processor, such as `linux-x86_64`.
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
