import CoreMLServingInterface
import CoreMLServingProtocol
import NIOHTTP1

/// Decides whether a client may make a request.
struct AccessControl: Sendable {
  let tokens: TokenBook?
  /// Whether everyone who can connect is trusted to load and unload models.
  let isAdminOpen: Bool

  init(_ options: HTTPOptions, tokens: TokenBook?) {
    self.tokens = tokens
    isAdminOpen = options.isLoopback || options.tls?.clientAuthorities != nil
  }

  /// - Returns: The name of the token; nil if there are no tokens.
  func check(_ scope: Route.Scope?, _ fields: HTTPHeaders) throws(ServingError) -> String? {
    guard let tokens else {
      if scope == .admin { try checkOpenAdmin(fields) }
      return nil
    }
    guard let scope else { return nil }
    let values = fields["authorization"]
    guard values.count == 1, let space = values[0].firstIndex(of: " "),
      values[0][..<space].lowercased() == "bearer",
      let entry = tokens.entry(values[0][values[0].index(after: space)...].drop { $0 == " " })
    else { throw ServingError(.unauthenticated, "The request needs a valid bearer token.") }
    guard entry.scopes.contains(scope) else {
      throw ServingError(.forbidden, "The token does not have the scope '\(scope.rawValue)'.")
    }
    return entry.name
  }

  private func checkOpenAdmin(_ fields: HTTPHeaders) throws(ServingError) {
    guard isAdminOpen else {
      throw ServingError(
        .forbidden, "Loading and unloading models needs a token, because the server listens beyond the local machine.")
    }
    // A browser on this machine lets pages of another origin send requests.
    if let origin = fields.first(name: "origin"), let host = fields.first(name: "host"),
      origin != "http://\(host)", origin != "https://\(host)"
    {
      throw ServingError(.forbidden, "Pages of another origin may not load and unload models.")
    }
  }
}
