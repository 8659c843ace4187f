import CoreMLDelivery
import Foundation

extension URL {
  /// The host in lower case, without the brackets of an IPv6 address and without a trailing dot.
  var hostName: String? {
    guard let host = host(percentEncoded: true), !host.isEmpty else { return nil }
    let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }
}

/// The rules on permitted request URLs.
package enum HostRules {
  /// Returns whether a host's name or address denotes this machine (RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3).
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    guard let address = address(host) else { return false }
    return address.count == 4 ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
  }

  /// Returns the bytes of an IPv4 or IPv6 address; nil if the text is a name.
  static func address(_ text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
    var six = in6_addr()
    return inet_pton(AF_INET6, text, &six) == 1 ? withUnsafeBytes(of: &six) { Array($0) } : nil
  }

  /// Throws unless a URL is permitted: `https`, or `http` to this machine or with `allowsHTTP`.
  package static func check(_ url: URL, allowsHTTP: Bool) throws {
    guard let host = url.hostName, let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http" else {
      throw DeliveryError(.unsupportedURL, "\(url.display): expected an https URL with a host")
    }
    guard scheme == "https" || allowsHTTP || isLoopback(host) else {
      throw DeliveryError(
        .insecureURL,
        "\(url.display): expected https, found http to another machine, which anybody on the way can change")
    }
  }

  /// Returns the target of a redirect.
  ///
  /// - Throws: `DeliveryError` if the target is invalid or not permitted, or if it changes from `https` to `http`.
  static func redirect(from url: URL, to location: String?, allowsHTTP: Bool) throws -> URL {
    guard let location, let relative = URL(string: location, relativeTo: url),
      var components = URLComponents(url: relative.absoluteURL, resolvingAgainstBaseURL: true)
    else { throw DeliveryError(.badRedirect, "\(url.display): the host redirects and does not say where to") }
    components.fragment = nil
    guard let next = components.url, next.hostName != nil, ["http", "https"].contains(next.scheme?.lowercased()) else {
      throw DeliveryError(.badRedirect, "\(url.display): the host redirects to what is no https URL")
    }
    let isDowngrade = url.scheme?.lowercased() == "https" && next.scheme?.lowercased() == "http"
    do {
      try check(next, allowsHTTP: allowsHTTP && !isDowngrade)
    } catch {
      throw DeliveryError(.insecureRedirect, "\(url.display): the host redirects to \(next.display), expected https")
    }
    if isDowngrade {
      throw DeliveryError(.insecureRedirect, "\(url.display): the host redirects from https to \(next.display)")
    }
    return next
  }
}
