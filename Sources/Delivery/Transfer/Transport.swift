import Foundation

/// A request to a transport: for a whole file or its remaining bytes, optionally conditional.
public struct TransferRequest: Sendable, Hashable {
  /// The URL of the file.
  public var url: URL
  /// The first requested byte; 0 requests the whole file.
  public var offset: Int64
  /// The strong validator of the existing bytes. The host sends the rest only if the file is unchanged (RFC 9110,
  /// 13.1.5).
  public var ifRange: String?
  /// The entity tags of the existing file (RFC 9110, 13.1.2).
  public var ifNoneMatch: String?
  /// The date of the existing file (RFC 9110, 13.1.3).
  public var ifModifiedSince: String?

  /// Creates a request, by default for the whole file.
  public init(
    url: URL, offset: Int64 = 0, ifRange: String? = nil, ifNoneMatch: String? = nil, ifModifiedSince: String? = nil
  ) {
    self.url = url
    self.offset = offset
    self.ifRange = ifRange
    self.ifNoneMatch = ifNoneMatch
    self.ifModifiedSince = ifModifiedSince
  }
}

/// The response of a transport, expressed in HTTP terms for all transports.
public struct TransferResponse: Sendable {
  /// The HTTP status code: 200 for the whole file, 206 for a part, 304 for not modified, or an error.
  public var status: Int
  /// The URL that sent the response, after redirects.
  public var url: URL
  /// The entity tag; nil if the host sent none.
  public var etag: String?
  /// The `Last-Modified` date as an HTTP date; nil if the host sent none.
  public var lastModified: String?
  /// The host's time as an HTTP date.
  public var date: String?
  /// The byte range of `body`, for a part.
  public var contentRange: ContentRange?
  /// The declared number of bytes in `body`.
  public var contentLength: Int64?
  /// The content encodings of the bytes; nil for none.
  public var contentEncoding: String?
  /// Whether the end of `body` is detectable without the end of the connection.
  public var isDelimited: Bool
  /// The pause that the host requests.
  public var retryAfter: Duration?
  /// The content.
  public var body: TransferBody

  /// Creates a response.
  public init(
    status: Int, url: URL, etag: String? = nil, lastModified: String? = nil, date: String? = nil,
    contentRange: ContentRange? = nil, contentLength: Int64? = nil, contentEncoding: String? = nil,
    isDelimited: Bool = true, retryAfter: Duration? = nil, body: TransferBody = .empty
  ) {
    self.status = status
    self.url = url
    self.etag = etag
    self.lastModified = lastModified
    self.date = date
    self.contentRange = contentRange
    self.contentLength = contentLength
    self.contentEncoding = contentEncoding
    self.isDelimited = isDelimited
    self.retryAfter = retryAfter
    self.body = body
  }
}

/// The content of a response, pulled in chunks. Nothing is read ahead.
public struct TransferBody: Sendable {
  /// Returns the next chunk; nil at the end. Must not be called concurrently.
  public let next: @Sendable () async throws -> [UInt8]?

  /// Creates a body from a closure.
  public init(next: @escaping @Sendable () async throws -> [UInt8]?) { self.next = next }

  /// A body without bytes.
  public static let empty = TransferBody { nil }
}

/// Performs requests for the URL schemes that it supports.
public protocol Transport: Sendable {
  /// Performs a single request. The ``Downloader`` adds retries, mirrors and checks.
  ///
  /// - Throws: ``DeliveryError`` if there is no response; `CancellationError` if the task is cancelled. A response with
  ///   an error status does not throw.
  func response(to request: TransferRequest) async throws -> TransferResponse
}

/// Dispatches requests to transports by URL scheme.
public struct SchemeTransport: Transport {
  private let transports: [String: any Transport]

  /// Creates a transport that dispatches by URL scheme.
  ///
  /// - Parameter transports: the transports by scheme, in lower case.
  public init(_ transports: [String: any Transport]) { self.transports = transports }

  public func response(to request: TransferRequest) async throws -> TransferResponse {
    guard let scheme = request.url.scheme?.lowercased(), let transport = transports[scheme] else {
      let known = transports.keys.sorted().joined(separator: ", ")
      throw DeliveryError(.unsupportedURL, "\(request.url.display): expected a URL of \(known)")
    }
    return try await transport.response(to: request)
  }
}

extension URL {
  /// The URL without user name and password.
  package var withoutCredentials: URL {
    guard user != nil || password != nil, var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
    else {
      return self
    }
    components.user = nil
    components.password = nil
    return components.url ?? self
  }

  /// Returns text that may be a URL in a form suitable for display.
  package static func display(of text: String) -> String {
    if let url = URL(string: text), url.scheme != nil { return String(url.display.prefix(200)) }
    // Even in an invalid URL, text before an at sign may be a name and password.
    let tail = text.lastIndex(of: "@").map { "...\(text[$0...])" } ?? text
    return String(tail.prefix { $0 != "?" && $0 != "#" }.prefix(200))
  }

  /// The URL for display: without credentials, and without the query, which may contain keys.
  package var display: String {
    guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "(a URL)" }
    let hasQuery = components.query != nil
    components.user = nil
    components.password = nil
    components.query = nil
    components.fragment = nil
    return (components.string ?? "(a URL)") + (hasQuery ? "?..." : "")
  }
}
