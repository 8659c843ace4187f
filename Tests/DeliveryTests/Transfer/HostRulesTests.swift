import CoreMLDelivery
import Foundation
import Testing

@testable import CoreMLDeliveryHTTP

/// Which hosts are contacted, over which protocols, and which are trusted.
@Suite(.serialized) struct HostRulesTests {
  private static func fetch(
    _ url: String, _ change: (inout HTTPOptions) throws -> Void = { _ in }
  ) async throws -> Result<Int, DeliveryError> {
    var options = HTTPOptions(runtimeVersion: "1")
    try change(&options)
    let transport = HTTPTransport(options: options)
    do {
      return .success(
        try await transport.response(to: TransferRequest(url: try #require(URL(string: url)))).status)
    } catch let error as DeliveryError {
      return .failure(error)
    }
  }

  private static func code(_ result: Result<Int, DeliveryError>) -> DeliveryError.Code? {
    if case .failure(let error) = result { return error.code }
    return nil
  }

  private static func authority(in folder: TemporaryFolder) throws -> URL {
    try folder.write(Certificates.authority, to: "authority.pem")
  }

  @Test(
    arguments: [
      ("/relative", nil), ("/here", nil), ("/loop", .redirectLoop), ("/deep/0", .tooManyRedirects),
      ("/elsewhere", .insecureRedirect), ("/nowhere", .badRedirect), ("/ftp", .badRedirect), ("/file", .badRedirect),
    ] as [(String, DeliveryError.Code?)])
  func redirects(path: String, code: DeliveryError.Code?) async throws {
    let server = try await FaultServer { request in
      func to(_ place: String) -> [FaultServer.Step] { Reply.status(302, [("Location", place)]) }
      switch request.target {
      case "/relative": return to("sub/../here")
      case "/loop": return to("/loop2")
      case "/loop2": return to("/loop")
      case "/elsewhere": return to("http://models.example/m")
      case "/nowhere": return Reply.status(302)
      case "/ftp": return to("ftp://127.0.0.1/m")
      case "/file": return to("file:///etc/hostname")
      case let target where target.hasPrefix("/deep/"): return to("/deep/\((Int(target.dropFirst(6)) ?? 0) + 1)")
      default: return Reply.file(request)
      }
    }
    let result = try await Self.fetch(server.url(path))
    #expect(Self.code(result) == code)
    if code == nil { #expect(try result.get() == 200) }
    #expect(server.requests.count <= 11)
  }

  @Test func fromHttpsNothingLeadsToHttp() async throws {
    let folder = try TemporaryFolder()
    let plain = try await FaultServer { Reply.file($0) }
    let target = plain.url("/m")
    let server = try await FaultServer(tls: FaultServer.context(Certificates.host, Certificates.hostKey)) { _ in
      Reply.status(301, [("Location", target)])
    }
    let authority = try Self.authority(in: folder)
    let result = try await Self.fetch(server.url("/m", scheme: "https")) {
      $0.certificates = authority
      $0.allowsHTTP = true
    }
    #expect(Self.code(result) == .insecureRedirect)
    #expect(plain.requests.isEmpty)
  }

  @Test func certificates() async throws {
    let folder = try TemporaryFolder()
    let authority = try Self.authority(in: folder)
    let good = try await FaultServer(tls: FaultServer.context(Certificates.host, Certificates.hostKey)) {
      Reply.file($0)
    }
    let other = try await FaultServer(tls: FaultServer.context(Certificates.other, Certificates.otherKey)) {
      Reply.file($0)
    }
    let plain = try await FaultServer { _ in [.send(Array("HTTP/1.1 400 No\r\n\r\n".utf8)), .close] }
    for host in ["127.0.0.1", "localhost"] {
      #expect(
        try await Self.fetch(good.url("/m", scheme: "https", host: host)) { $0.certificates = authority }.get() == 200)
    }
    #expect(Self.code(try await Self.fetch(good.url("/m", scheme: "https"))) == .untrustedHost)
    for server in [other, plain] {
      let result = try await Self.fetch(server.url("/m", scheme: "https", host: "localhost")) {
        $0.certificates = authority
      }
      #expect(Self.code(result) == .untrustedHost)
    }
    for text in [nil, "no certificate"] {
      let file = try text.map { try folder.write($0, to: "bad.pem") } ?? folder.url.appending(path: "absent.pem")
      let result = try await Self.fetch(good.url("/m", scheme: "https")) { $0.certificates = file }
      #expect(Self.code(result) == .badCertificates)
    }
  }

  @Test func onlyThisMachineIsAskedOverHttp() async throws {
    #expect(Self.code(try await Self.fetch("http://192.0.2.1/m")) == .insecureURL)
    #expect(Self.code(try await Self.fetch("http://localhost.example/m")) == .insecureURL)
    #expect(Self.code(try await Self.fetch("ftp://127.0.0.1/m")) == .unsupportedURL)
    #expect(Self.code(try await Self.fetch("https:///m")) == .unsupportedURL)
    // The port was released, so nothing listens on it.
    let server = try await FaultServer { _ in [] }
    try await server.stop()
    #expect(Self.code(try await Self.fetch(server.url("/m"))) == .unreachable)
  }

  @Test func proxies() async throws {
    let folder = try TemporaryFolder()
    let authority = try Self.authority(in: folder)
    let proxy = try await FaultServer(tunnel: FaultServer.context(Certificates.host, Certificates.hostKey)) { request in
      switch (request.method, request.target) {
      case ("CONNECT", "models.example:443"): [.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)), .startTLS]
      case ("CONNECT", "models.example:80"): [.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))]
      case ("CONNECT", _): Reply.status(407)
      default: Reply.file(request)
      }
    }
    let address = "http://ada:secret@127.0.0.1:\(proxy.port)"
    func through(_ url: String) async throws -> Result<Int, DeliveryError> {
      try await Self.fetch(url) {
        $0.certificates = authority
        $0.allowsHTTP = true
        $0.proxies = try ProxySettings(environment: ["all_proxy": address])
      }
    }
    #expect(try await through("http://models.example/m").get() == 200)
    #expect(try await through("https://models.example/m").get() == 200)
    #expect(proxy.requests.map(\.method) == ["CONNECT", "GET", "CONNECT", "GET"])
    for request in proxy.requests {
      let isForProxy = request.method == "CONNECT"
      #expect(request.headers["proxy-authorization"] == (isForProxy ? "Basic YWRhOnNlY3JldA==" : nil))
    }
    #expect(Self.code(try await through("https://closed.example/m")) == .proxy)
  }

  @Test(arguments: [
    ("http://models.example/m", "", true), ("http://models.example/m", "example", false),
    ("http://models.example/m", ".models.example", false), ("http://models.example/m", "dels.example", true),
    ("http://models.example/m", "models.example:8080", true), ("http://models.example/m", "models.example:80", false),
    ("http://models.example/m", "*", false), ("http://10.1.2.3/m", "10.0.0.0/8", false),
    ("http://11.1.2.3/m", "10.0.0.0/8", true), ("http://10.1.2.3/m", "10.1.2.3", false),
    ("http://[2001:db8::1]/m", "2001:db8::/32", false), ("http://127.0.0.1/m", "", false),
    ("http://localhost/m", "", false), ("http://[::1]/m", "", false),
  ])
  func exceptionsFromProxies(url: String, exceptions: String, isProxied: Bool) throws {
    let settings = try ProxySettings(environment: ["HTTP_PROXY": "proxy.example:3128", "NO_PROXY": exceptions])
    let proxy = settings.proxy(for: try #require(URL(string: url)))
    #expect((proxy != nil) == isProxied)
    if let proxy { #expect(proxy.host == "proxy.example" && proxy.port == 3128) }
  }

  @Test func proxiesThatCannotBeUsed() throws {
    for text in ["https://proxy.example", "http://", "http://proxy.example:70000", "socks5://ada:x@proxy.example"] {
      #expect(throws: DeliveryError.self) { try ProxySettings(environment: ["https_proxy": text]) }
    }
    // A client's header `Proxy:` becomes this variable in a CGI program.
    #expect(try ProxySettings(environment: ["HTTP_PROXY": "evil.example", "REQUEST_METHOD": "GET"]).http == nil)
  }
}
