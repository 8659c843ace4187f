import CoreMLServingInterface
import CoreMLServingProtocol

/// Where and how the REST protocol is served.
package struct HTTPOptions: Sendable {
  /// A host name or an address. Only the local machine reaches the default.
  package var address = "127.0.0.1"
  /// 0 lets the system choose.
  package var port = 8000
  /// Allows listening beyond the local machine without TLS and without tokens.
  package var isInsecureAllowed = false
  package var tls: TLSFiles?
  /// A file with a bearer token for each line: the token, its scopes separated by commas, and a name for logs.
  package var tokenFile: String?
  package var limits = HTTPLimits()
  /// Adds metrics under the names of Triton.
  package var hasTritonMetrics = false
  /// The threads that read and write; nil chooses one or two.
  package var loopCount: Int?
  package var serverName = "coreml"
  /// Gets a record of each request.
  package var accessLog: (@Sendable (AccessRecord) -> Void)?
  /// Answers paths that the protocol does not have, such as a page for operators. Requests need the scope `read`, and
  /// `admin` for methods other than GET and HEAD.
  package var pages: (@Sendable (PageRequest) async -> PageAnswer?)?

  package init() {}

  /// Whether only the local machine reaches the address.
  package var isLoopback: Bool {
    address == "localhost" || address == "::1" || address.hasPrefix("127.")
  }

  /// - Throws: `invalidArgument` if the address would be open to everyone.
  package func check() throws(ServingError) {
    guard isLoopback || tls != nil || tokenFile != nil || isInsecureAllowed else {
      throw ServingError(
        .invalidArgument,
        "Listening on \(address) needs TLS or tokens, or the permission to be insecure (--insecure).")
    }
    guard (0...65535).contains(port) else {
      throw ServingError(.invalidArgument, "The port must be from 0 to 65535, and \(port) is not.")
    }
  }
}

/// PEM files. The server reads them again after they change.
package struct TLSFiles: Sendable, Equatable {
  package var certificate: String
  package var key: String
  /// Clients must show a certificate that one of these signed.
  package var clientAuthorities: String?

  package init(certificate: String, key: String, clientAuthorities: String? = nil) {
    (self.certificate, self.key, self.clientAuthorities) = (certificate, key, clientAuthorities)
  }
}

package struct HTTPLimits: Sendable {
  /// The head of a request: its line and its fields.
  package var headBytes = 32 << 10
  package var headTime: Duration = .seconds(10)
  /// A body, after decompression.
  package var bodyBytes = 64 << 20
  /// A connection without a request, and a pause within a body or an answer.
  package var idleTime: Duration = .seconds(60)
  /// The slowest average rate of bodies and answers, in bytes per second.
  package var slowestRate = 16 << 10
  package var connections = 1024

  package init() {}
}

/// A request for a path that the protocol does not have.
package struct PageRequest: Sendable {
  package var method: String
  /// The request target: path and query.
  package var target: String
  package var body: [UInt8]
}

package struct PageAnswer: Sendable {
  package var status: Int
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int = 200, fields: [(name: String, value: String)], body: [UInt8]) {
    (self.status, self.fields, self.body) = (status, fields, body)
  }
}
