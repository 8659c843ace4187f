import AsyncHTTPClient
import CoreMLDelivery
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// A transport for `https` and `http`. It follows redirects itself, to apply the host rules to each URL. Bodies are not
/// decompressed.
public final class HTTPTransport: Transport {
  private let options: HTTPOptions
  /// A client for each proxy, and one for direct connections.
  private let clients = Mutex<[ProxySettings.Proxy?: HTTPClient]>([:])

  /// Makes all transports of the process share one event loop thread, for programs that only transfer. Call it once,
  /// before the first connection.
  package static func useOneThread() { _ = oneThread }

  private static let oneThread: Void = { NIOSingletons.groupLoopCountSuggestion = 1 }()

  /// Creates a transport with the given options.
  public init(options: HTTPOptions) { self.options = options }

  deinit {
    for client in clients.withLock({ $0.values }) { client.shutdown(queue: .global()) { _ in } }
  }

  public func response(to request: TransferRequest) async throws -> TransferResponse {
    var url = request.url
    try HostRules.check(url, allowsHTTP: options.allowsHTTP)
    var visited: Set<URL> = []
    while true {
      guard visited.insert(url).inserted else {
        throw DeliveryError(.redirectLoop, "\(url.display): the host redirects in a circle")
      }
      guard visited.count <= options.redirects + 1 else {
        throw DeliveryError(
          .tooManyRedirects, "\(url.display): expected at most \(options.redirects) redirects, found more")
      }
      let response = try await ask(url, request)
      if response.status.code == 401, url.user == nil, let problem = options.loginsProblem {
        throw DeliveryError(
          .forbidden, "\(url.display): the host asks for a password, and the file of passwords is not used: \(problem)")
      }
      guard [301, 302, 303, 307, 308].contains(response.status.code) else { return translate(response, url) }
      let location = response.headers.first(name: "Location")
      url = try HostRules.redirect(from: url, to: location, allowsHTTP: options.allowsHTTP)
    }
  }

  private func ask(_ url: URL, _ request: TransferRequest) async throws -> HTTPClientResponse {
    // Credentials in a URL are only for its host. They are sent as basic authentication, not as part of the URL.
    var bare = URLComponents(url: url, resolvingAgainstBaseURL: true)
    bare?.user = nil
    bare?.password = nil
    var message = HTTPClientRequest(url: bare?.string ?? url.absoluteString)
    for (name, value) in options.headers { message.headers.add(name: name, value: value) }
    if let user = url.user(percentEncoded: false) {
      message.setBasicAuth(username: user, password: url.password(percentEncoded: false) ?? "")
    } else if url.scheme?.lowercased() == "https" || url.hostName.map(HostRules.isLoopback) == true,
      let login = url.hostName.flatMap(options.logins.login)
    {
      // Credentials of the netrc file are never sent unencrypted over a network.
      message.setBasicAuth(username: login.name, password: login.password)
    }
    if request.offset > 0 { message.headers.add(name: "Range", value: "bytes=\(request.offset)-") }
    if let value = request.ifRange { message.headers.add(name: "If-Range", value: value) }
    if let value = request.ifNoneMatch { message.headers.add(name: "If-None-Match", value: value) }
    if let value = request.ifModifiedSince { message.headers.add(name: "If-Modified-Since", value: value) }
    do {
      return try await client(for: options.proxies.proxy(for: url)).execute(
        message, timeout: options.responseTimeout.amount)
    } catch {
      try Task.checkCancellation()
      throw HTTPFailure.translate(error, url: url, isBody: false)
    }
  }

  private func translate(_ response: HTTPClientResponse, _ url: URL) -> TransferResponse {
    let headers = response.headers
    let encodings = headers[canonicalForm: "Content-Encoding"].filter { $0.lowercased() != "identity" }
    let date = headers.first(name: "Date")
    let isChunked = headers[canonicalForm: "Transfer-Encoding"].last?.lowercased() == "chunked"
    let length = isChunked ? nil : headers.first(name: "Content-Length").flatMap { Int64($0) }
    let body = WatchedBody(response.body, url: url, patience: options.stallTimeout)
    return TransferResponse(
      status: Int(response.status.code), url: url, etag: headers.first(name: "ETag"),
      lastModified: headers.first(name: "Last-Modified"), date: date,
      contentRange: headers.first(name: "Content-Range").flatMap { ContentRange($0) }, contentLength: length,
      contentEncoding: encodings.isEmpty ? nil : encodings.joined(separator: ", "),
      isDelimited: length != nil || isChunked,
      retryAfter: Validator.retryAfter(headers.first(name: "Retry-After"), date: date),
      body: TransferBody { try await body.next() })
  }

  private func client(for proxy: ProxySettings.Proxy?) throws -> HTTPClient {
    try clients.withLock { clients in
      if let client = clients[proxy] { return client }
      let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try configuration(proxy))
      clients[proxy] = client
      return client
    }
  }

  private func configuration(_ proxy: ProxySettings.Proxy?) throws -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let file = options.certificates {
      do {
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file.path))
      } catch {
        throw DeliveryError(
          .badCertificates, "expected a file of PEM certificates, found none that can be read", file: file.path)
      }
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: options.connectTimeout.amount), decompression: .disabled)
    // The client does not retry, because the downloader controls retries and their delays.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    configuration.http1_1ConnectionDebugInitializer = { InterimAnswers.add(to: $0) }
    configuration.proxy = proxy.map { proxy in
      switch proxy.kind {
      case .socks: return .socksServer(host: proxy.host, port: proxy.port)
      case .http:
        let authorization = proxy.user.map {
          HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
        }
        return .server(host: proxy.host, port: proxy.port, authorization: authorization)
      }
    }
    return configuration
  }
}

extension Duration {
  var amount: TimeAmount {
    let parts = components
    return .seconds(min(parts.seconds, 1 << 30)) + .nanoseconds(parts.attoseconds / 1_000_000_000)
  }
}
