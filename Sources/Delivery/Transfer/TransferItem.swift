import Foundation

/// A file to fetch, with its expected properties.
public struct TransferItem: Sendable, Hashable {
  /// The URLs of the file, in order of preference.
  public var mirrors: [URL]
  /// The size in bytes; nil if it is unknown.
  public var size: Int64?
  /// The SHA-256 in hexadecimal; nil if it is unknown. If it is known, another mirror can continue a partial download.
  public var sha256: String?
  /// The maximum number of bytes to write.
  public var limit: Int64
  /// The entity tag of the existing file. The file is fetched only if it changed.
  public var knownETag: String?
  /// The `Last-Modified` date of the existing file. The file is fetched only if it changed.
  public var knownLastModified: String?

  /// The maximum duration, if it is shorter than that of the policy (``RetryPolicy/timeout``).
  public var timeout: Duration?

  /// 32 GiB: more than any expected model, but a bound on what a hostile host can send.
  public static let defaultLimit: Int64 = 32 << 30

  /// Creates an item with several mirrors.
  public init(
    mirrors: [URL], size: Int64? = nil, sha256: String? = nil, limit: Int64 = Self.defaultLimit,
    knownETag: String? = nil, knownLastModified: String? = nil
  ) {
    self.mirrors = mirrors
    self.size = size
    self.sha256 = sha256
    self.limit = limit
    self.knownETag = knownETag
    self.knownLastModified = knownLastModified
  }

  /// Creates an item with one URL.
  public init(_ url: URL, size: Int64? = nil, sha256: String? = nil, limit: Int64 = Self.defaultLimit) {
    self.init(mirrors: [url], size: size, sha256: sha256, limit: limit)
  }

  /// Returns the validated item, with its digest in lower case.
  ///
  /// - Throws: ``DeliveryError`` if there are no mirrors, the digest is invalid, or the size exceeds the limit.
  func checked() throws -> TransferItem {
    var item = self
    guard !mirrors.isEmpty else { throw DeliveryError(.unsupportedURL, "expected a URL to fetch from, found none") }
    if let sha256 {
      let digits = sha256.lowercased()
      guard digits.utf8.count == 64,
        digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      else {
        throw DeliveryError(.badDigest, "expected a SHA-256 of 64 hexadecimal digits, found '\(sha256.prefix(80))'")
      }
      item.sha256 = digits
    }
    if let size, size > limit {
      throw DeliveryError(.tooLarge, "\(mirrors[0].display): expected at most \(limit) bytes, the file has \(size)")
    }
    return item
  }
}

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
  /// The number of bytes received, including those of earlier runs.
  public let received: Int64
  /// The total size; nil if the host did not declare it.
  public let total: Int64?
}

/// The result of a transfer.
public struct TransferResult: Sendable, Hashable {
  /// The mirror that sent the last byte.
  public let url: URL
  /// Whether the file was fetched; false if the existing file is up to date.
  public let isModified: Bool
  /// The size in bytes; 0 if not modified.
  public let size: Int64
  /// The SHA-256 in hexadecimal; empty if not modified.
  public let sha256: String
  /// The entity tag for the next conditional request; nil if the host sent none.
  public let etag: String?
  /// The `Last-Modified` date for the next conditional request; nil if the host sent none or it is unreliable.
  public let lastModified: String?
}

/// An event of a transfer. `code` is stable.
public enum TransferEvent: Sendable, Hashable {
  /// A mirror was requested to send the bytes from an offset.
  case asked(URL, offset: Int64)
  /// Bytes of an earlier run are reused.
  case resumed(bytes: Int64)
  /// The existing bytes were dropped.
  case restarted(reason: DeliveryError.Code)
  /// A mirror failed and is retried after a pause.
  case retrying(URL, reason: DeliveryError.Code, after: Duration)
  /// A mirror was given up.
  case gaveUp(URL, reason: DeliveryError.Code)
  /// The existing file is up to date.
  case notModified(URL)
  /// The transfer stopped; the given number of bytes is kept for a later run.
  case kept(bytes: Int64)
  /// All bytes were received and verified.
  case finished(URL, bytes: Int64)

  /// The event's stable identifier, such as `transfer.asked`.
  public var code: String {
    switch self {
    case .asked: "transfer.asked"
    case .resumed: "transfer.resumed"
    case .restarted: "transfer.restarted"
    case .retrying: "transfer.retrying"
    case .gaveUp: "transfer.gave-up"
    case .notModified: "transfer.not-modified"
    case .kept: "transfer.kept"
    case .finished: "transfer.finished"
    }
  }
}
