import Foundation

/// What is asked of a transport: a file, or what is left of it, perhaps only if it changed.
public struct TransferRequest: Sendable, Hashable {
  /// Where the file is asked for.
  public var url: URL
  /// The first byte wanted; 0 asks for the whole.
  public var offset: Int64
  /// The strong validator of the bytes that are here already: the host sends the rest only if it still holds (RFC 9110, 13.1.5).
  public var ifRange: String?
  /// Entity tags of the file that is here already (RFC 9110, 13.1.2).
  public var ifNoneMatch: String?
  /// The date of the file that is here already (RFC 9110, 13.1.3).
  public var ifModifiedSince: String?

  /// A request; without more than a URL, for the whole file.
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

/// How a transport answers: HTTP's words, whatever the transport.
public struct TransferResponse: Sendable {
  /// HTTP's status code: 200 the whole, 206 a part, 304 not modified, and the errors.
  public var status: Int
  /// Where the bytes come from, after redirects.
  public var url: URL
  /// The file's entity tag; nil where the host gives none.
  public var etag: String?
  /// When the file was last changed, as an HTTP date; nil where the host does not say.
  public var lastModified: String?
  /// The host's clock when it answered.
  public var date: String?
  /// Which bytes of the file `body` has, where it is a part.
  public var contentRange: ContentRange?
  /// The number of bytes in `body`, as declared.
  public var contentLength: Int64?
  /// Encodings applied to the bytes; nil for none.
  public var contentEncoding: String?
  /// Whether the end of `body` is told by more than the end of the connection.
  public var isDelimited: Bool
  /// How long the host asks us to stay away.
  public var retryAfter: Duration?
  /// The bytes.
  public var body: TransferBody

  /// An answer as a transport gives it.
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

/// The bytes of a response, pulled piece by piece: nothing is read ahead of what is asked for.
public struct TransferBody: Sendable {
  /// The next piece; nil at the end. Not to be called from two tasks at once.
  public let next: @Sendable () async throws -> [UInt8]?

  /// A body that is pulled from a closure.
  public init(next: @escaping @Sendable () async throws -> [UInt8]?) { self.next = next }

  /// No bytes.
  public static let empty = TransferBody { nil }
}

/// Gets bytes from where a URL points to.
public protocol Transport: Sendable {
  /// Asks once: retries, mirrors and checks are the ``Downloader``'s.
  ///
  /// - Throws: ``DeliveryError`` when there is no answer; `CancellationError` when the task was cancelled. An answer that says no is an answer.
  func response(to request: TransferRequest) async throws -> TransferResponse
}

/// Several transports, each for the schemes that it serves.
public struct SchemeTransport: Transport {
  private let transports: [String: any Transport]

  /// Hands each request to the transport of its URL's scheme.
  ///
  /// - Parameter transports: by scheme, in lower case.
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
  /// The URL without a name and a password.
  package var withoutCredentials: URL {
    guard user != nil || password != nil, var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
    else {
      return self
    }
    components.user = nil
    components.password = nil
    return components.url ?? self
  }

  /// Text that may be a URL, as people may see it.
  package static func display(of text: String) -> String {
    if let url = URL(string: text), url.scheme != nil { return String(url.display.prefix(200)) }
    // What stands before an at sign may be a name and a password, whatever else is wrong.
    let tail = text.lastIndex(of: "@").map { "...\(text[$0...])" } ?? text
    return String(tail.prefix { $0 != "?" && $0 != "#" }.prefix(200))
  }

  /// The URL as people may see it: without names, passwords and keys that a query may hold.
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
