extension DeliveryError.Code {
  // Failures of transfers. The temporary ones are retried (`isTemporary`).

  /// A URL without a host, with an unsupported scheme, or invalid text.
  public static let unsupportedURL = Self(rawValue: "delivery.unsupported-url")
  /// `http` to another machine without permission.
  public static let insecureURL = Self(rawValue: "delivery.insecure-url")
  /// A redirect from `https` to `http`, or to `http` on another machine without permission.
  public static let insecureRedirect = Self(rawValue: "delivery.insecure-redirect")
  /// The maximum number of redirects was exceeded.
  public static let tooManyRedirects = Self(rawValue: "delivery.too-many-redirects")
  /// A redirect to a URL that was visited before.
  public static let redirectLoop = Self(rawValue: "delivery.redirect-loop")
  /// A redirect without a target, or to a URL that cannot be fetched.
  public static let badRedirect = Self(rawValue: "delivery.bad-redirect")
  /// No connection: name resolution failed, the connection was refused, or the network is down.
  public static let unreachable = Self(rawValue: "delivery.unreachable")
  /// The host's certificate is not trusted for its name, or its TLS version is not accepted.
  public static let untrustedHost = Self(rawValue: "delivery.untrusted-host")
  /// The configured file of trusted certificates cannot be read.
  public static let badCertificates = Self(rawValue: "delivery.bad-certificates")
  /// The proxy setting is invalid, or the proxy refuses the connection.
  public static let proxy = Self(rawValue: "delivery.proxy")
  /// No connection or no response within the timeout.
  public static let timedOut = Self(rawValue: "delivery.timed-out")
  /// A response began, but no further bytes arrived within the timeout.
  public static let stalled = Self(rawValue: "delivery.stalled")
  /// The host is slower than the minimum rate.
  public static let tooSlow = Self(rawValue: "delivery.too-slow")
  /// The connection ended before all bytes were received.
  public static let cutShort = Self(rawValue: "delivery.cut-short")
  /// The host does not have the file (404, 410).
  public static let notFound = Self(rawValue: "delivery.not-found")
  /// The host refuses access to the file (401, 403, 407, 451).
  public static let forbidden = Self(rawValue: "delivery.forbidden")
  /// The host requests a later retry (429, 503).
  public static let busy = Self(rawValue: "delivery.busy")
  /// The host failed (another 5xx, 408, 425).
  public static let hostFailed = Self(rawValue: "delivery.host-failed")
  /// A response that does not match the request or is not valid HTTP.
  public static let badResponse = Self(rawValue: "delivery.bad-response")
  /// The response contains another part of the file than requested.
  public static let wrongRange = Self(rawValue: "delivery.wrong-range")
  /// The file kept changing on the host between its parts.
  public static let keepsChanging = Self(rawValue: "delivery.keeps-changing")
  /// The response has a content encoding that was not requested, and no digest can verify the bytes.
  public static let contentEncoding = Self(rawValue: "delivery.content-encoding")
  /// The response has no length, no delimiter and no digest, so completeness cannot be verified.
  public static let unknownLength = Self(rawValue: "delivery.unknown-length")
  /// The file exceeds the size limit.
  public static let tooLarge = Self(rawValue: "delivery.too-large")
  /// The file has another size than expected.
  public static let wrongSize = Self(rawValue: "delivery.wrong-size")
  /// The SHA-256 of the file differs from the expected one.
  public static let wrongDigest = Self(rawValue: "delivery.wrong-digest")
  /// An invalid digest; a SHA-256 has 64 hexadecimal digits.
  public static let badDigest = Self(rawValue: "delivery.bad-digest")
  /// The file system is full.
  public static let noSpace = Self(rawValue: "delivery.no-space")
}

extension DeliveryError.Code {
  /// Whether a later attempt at the same URL may succeed.
  public var isTemporary: Bool {
    switch self {
    case .unreachable, .timedOut, .stalled, .tooSlow, .cutShort, .busy, .hostFailed, .wrongRange: true
    default: false
    }
  }

  /// Whether the cause is on this machine, so that another mirror does not help.
  var isLocal: Bool {
    switch self {
    case .noSpace, .unwritable, .noPlace, .noMemory, .badCertificates, .badDigest: true
    default: false
    }
  }
}
