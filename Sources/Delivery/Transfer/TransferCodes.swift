extension DeliveryError.Code {
  // What a transfer can fail with. Those that may pass by themselves are retried first (`isTemporary`).

  /// The URL cannot be fetched from: no host, a scheme that no transport serves, or text that is no URL.
  public static let unsupportedURL = Self(rawValue: "delivery.unsupported-url")
  /// `http` to another machine, without permission.
  public static let insecureURL = Self(rawValue: "delivery.insecure-url")
  /// A redirect from `https` to `http`, or to `http` on another machine without permission.
  public static let insecureRedirect = Self(rawValue: "delivery.insecure-redirect")
  /// More redirects than are followed.
  public static let tooManyRedirects = Self(rawValue: "delivery.too-many-redirects")
  /// A redirect to a place that was visited before.
  public static let redirectLoop = Self(rawValue: "delivery.redirect-loop")
  /// A redirect without a place, or to none that can be fetched from.
  public static let badRedirect = Self(rawValue: "delivery.bad-redirect")
  /// No connection: the name does not resolve, nobody listens, the network is away.
  public static let unreachable = Self(rawValue: "delivery.unreachable")
  /// The host's certificate is not one that we trust for its name, or it speaks no TLS that we accept.
  public static let untrustedHost = Self(rawValue: "delivery.untrusted-host")
  /// The certificates that we are told to trust cannot be read.
  public static let badCertificates = Self(rawValue: "delivery.bad-certificates")
  /// The proxy's setting cannot be used, or the proxy refuses.
  public static let proxy = Self(rawValue: "delivery.proxy")
  /// No connection, or no answer, in the time allowed.
  public static let timedOut = Self(rawValue: "delivery.timed-out")
  /// An answer began and then nothing came in the time allowed.
  public static let stalled = Self(rawValue: "delivery.stalled")
  /// The host brings fewer bytes a second than it must.
  public static let tooSlow = Self(rawValue: "delivery.too-slow")
  /// The connection ended before all bytes came.
  public static let cutShort = Self(rawValue: "delivery.cut-short")
  /// The host has no such file (404, 410).
  public static let notFound = Self(rawValue: "delivery.not-found")
  /// The host does not let us have the file (401, 403, 407, 451).
  public static let forbidden = Self(rawValue: "delivery.forbidden")
  /// The host asks us to come back later (429, 503).
  public static let busy = Self(rawValue: "delivery.busy")
  /// The host failed (another 5xx, 408, 425).
  public static let hostFailed = Self(rawValue: "delivery.host-failed")
  /// An answer that does not fit the request, or is no HTTP.
  public static let badResponse = Self(rawValue: "delivery.bad-response")
  /// Another part of the file than the one asked for.
  public static let wrongRange = Self(rawValue: "delivery.wrong-range")
  /// The file kept changing at the host between its parts.
  public static let keepsChanging = Self(rawValue: "delivery.keeps-changing")
  /// An encoding that nobody asked for, and no digest that says whether the bytes are the file's.
  public static let contentEncoding = Self(rawValue: "delivery.content-encoding")
  /// Neither a length, nor an end, nor a digest: nobody can tell whether all bytes came.
  public static let unknownLength = Self(rawValue: "delivery.unknown-length")
  /// More bytes than are allowed.
  public static let tooLarge = Self(rawValue: "delivery.too-large")
  /// Another number of bytes than the file has.
  public static let wrongSize = Self(rawValue: "delivery.wrong-size")
  /// Bytes whose SHA-256 is not the file's.
  public static let wrongDigest = Self(rawValue: "delivery.wrong-digest")
  /// A digest that is none: SHA-256 is 64 hexadecimal digits.
  public static let badDigest = Self(rawValue: "delivery.bad-digest")
  /// The file system has no room.
  public static let noSpace = Self(rawValue: "delivery.no-space")
}

extension DeliveryError.Code {
  /// Whether trying again later, at the same place, may help.
  public var isTemporary: Bool {
    switch self {
    case .unreachable, .timedOut, .stalled, .tooSlow, .cutShort, .busy, .hostFailed, .wrongRange: true
    default: false
    }
  }

  /// Whether the fault is this machine's, so that no other mirror helps.
  var isLocal: Bool {
    switch self {
    case .noSpace, .unwritable, .noPlace, .noMemory, .badCertificates, .badDigest: true
    default: false
    }
  }
}
