import CoreMLServingInterface
import CoreMLServingProtocol
import Logging

/// Decides by a bearer token whether a caller may do something: the rules of the REST protocol, for other protocols.
package struct CallerCheck: Sendable {
  private let tokens: TokenBook?
  private let isAdminOpen: Bool

  /// - Throws: `invalidArgument` if the file of tokens cannot be used.
  package init(_ options: HTTPOptions, logger: Logger) throws(ServingError) {
    if let tokenFile = options.tokenFile {
      tokens = try TokenBook(path: tokenFile, logger: logger)
    } else {
      tokens = nil
    }
    isAdminOpen = AccessControl(options, tokens: nil).isAdminOpen
  }

  /// - Parameter scope: infer, read or admin.
  /// - Throws: `unauthenticated`, `forbidden`.
  package func check(_ token: String?, scope: String) throws(ServingError) {
    guard let tokens else {
      guard scope != Route.Scope.admin.rawValue || isAdminOpen else {
        throw ServingError(
          .forbidden,
          "Loading and unloading models needs a token, because the server listens beyond the local machine.")
      }
      return
    }
    guard let token, let entry = tokens.entry(token[...]) else {
      throw ServingError(.unauthenticated, "The call needs a valid bearer token.")
    }
    guard entry.scopes.contains(where: { $0.rawValue == scope }) else {
      throw ServingError(.forbidden, "The token does not have the scope '\(scope)'.")
    }
  }
}
