import CoreMLDelivery
import Foundation

/// The proxies of requests, set explicitly or from the common environment variables.
///
/// The proxy must support tunnels (`CONNECT`), for `http` URLs too. A proxy that permits tunnels only to port 443
/// serves only `https`.
public struct ProxySettings: Sendable, Hashable {
  /// A proxy: `http://[NAME:PASSWORD@]HOST[:PORT]` or `socks5://HOST[:PORT]`.
  public struct Proxy: Sendable, Hashable {
    /// The protocol between the client and the proxy.
    public enum Kind: Sendable, Hashable {
      /// HTTP, with `CONNECT`.
      case http
      /// SOCKS, version 5.
      case socks
    }
    /// The protocol of the proxy.
    public let kind: Kind
    /// The name or address of the proxy; an IPv6 address has no brackets.
    public let host: String
    /// The port, from 1 to 65535. The default is 80 for HTTP and 1080 for SOCKS.
    public let port: Int
    /// The user name; nil for none, as always with SOCKS.
    public let user: String?
    /// The password; nil for none.
    public let password: String?

    /// Parses a proxy such as `http://HOST:PORT`; `http://` is optional.
    ///
    /// - Throws: `DeliveryError` if the text does not name a usable proxy.
    public init(_ text: String) throws {
      let full = text.contains("://") ? text : "http://\(text)"
      guard let components = URLComponents(string: full), let host = components.host, !host.isEmpty else {
        throw DeliveryError(.proxy, "expected a proxy of the form http://HOST:PORT, found one that is no URL")
      }
      switch components.scheme?.lowercased() {
      case "http": (kind, port) = (.http, components.port ?? 80)
      case "socks5", "socks5h": (kind, port) = (.socks, components.port ?? 1080)
      case let scheme:
        throw DeliveryError(.proxy, "expected a proxy of http or socks5, found one of '\(scheme ?? "")'")
      }
      guard (1...65535).contains(port) else {
        throw DeliveryError(.proxy, "expected a proxy's port from 1 to 65535, found \(port)")
      }
      self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
      (user, password) = (components.user, components.password)
      guard kind == .http || user == nil else {
        throw DeliveryError(.proxy, "expected a socks5 proxy without a name and password, found one with them")
      }
    }
  }

  /// The proxy for `http` URLs.
  public var http: Proxy?
  /// The proxy for `https` URLs.
  public var https: Proxy?
  /// Hosts to reach without a proxy. An entry is a name (which includes all names below it), an address, a network such
  /// as `10.0.0.0/8`, or `*` for all hosts. A `:PORT` suffix restricts an entry to that port.
  public var exceptions: [String] = []

  /// Creates settings without proxies.
  public init() {}

  /// Reads the variables `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, in lower or upper case. In a CGI
  /// program `HTTP_PROXY` contains a request header of the client, so it is ignored.
  ///
  /// - Throws: `DeliveryError` if a variable does not name a usable proxy.
  public init(environment: [String: String]) throws {
    func value(_ name: String) -> String? {
      let isForged = name == "http_proxy" && environment["REQUEST_METHOD"] != nil
      let text = environment[name] ?? (isForged ? nil : environment[name.uppercased()])
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
    let all = value("all_proxy")
    http = try (value("http_proxy") ?? all).map { try Proxy($0) }
    https = try (value("https_proxy") ?? all).map { try Proxy($0) }
    exceptions = (value("no_proxy") ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
  }

  /// Returns the proxy for a URL; nil for none. This machine is never reached through a proxy.
  func proxy(for url: URL) -> Proxy? {
    guard let host = url.hostName, let proxy = url.scheme?.lowercased() == "https" ? https : http else { return nil }
    if HostRules.isLoopback(host) { return nil }
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    return exceptions.contains { Self.covers($0.lowercased(), host: host, port: port) } ? nil : proxy
  }

  private static func covers(_ entry: String, host: String, port: Int) -> Bool {
    if entry == "*" { return true }
    var entry = entry
    if let colon = entry.lastIndex(of: ":"), entry.firstIndex(of: ":") == colon || entry.hasPrefix("[") {
      if let wanted = Int(entry[entry.index(after: colon)...]) {
        guard wanted == port else { return false }
        entry = String(entry[..<colon])
      }
    }
    entry = entry.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    if let address = HostRules.address(host) {
      let parts = entry.split(separator: "/", maxSplits: 1)
      guard let first = parts.first, let network = HostRules.address(String(first)), network.count == address.count
      else { return false }
      let bits = parts.count == 2 ? Int(parts[1]) ?? -1 : network.count * 8
      guard (0...network.count * 8).contains(bits) else { return false }
      return zip(address, network).enumerated().allSatisfy { index, pair in
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> max(0, min(8, bits - index * 8)))
        return pair.0 & mask == pair.1 & mask
      }
    }
    let name = entry.hasPrefix("*.") ? entry.dropFirst(2) : entry.hasPrefix(".") ? entry.dropFirst() : entry[...]
    return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
  }
}
