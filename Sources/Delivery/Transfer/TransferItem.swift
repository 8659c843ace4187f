import Foundation

/// What is to be fetched, and what must be true of it.
public struct TransferItem: Sendable, Hashable {
  /// Where the file can be had; the first is preferred.
  public var mirrors: [URL]
  /// The size in bytes, where it is known.
  public var size: Int64?
  /// The SHA-256 of the bytes in hexadecimal, where it is known. With it, a part from one mirror is continued from another.
  public var sha256: String?
  /// The most bytes that are written.
  public var limit: Int64
  /// The entity tag of the file that is here already: it is fetched only if it changed.
  public var knownETag: String?
  /// The date of last change of the file that is here already: it is fetched only if it changed.
  public var knownLastModified: String?

  /// The longest that it may take, where that is less than the policy says (``RetryPolicy/timeout``).
  public var timeout: Duration?

  /// 32 GiB: more than models have, less than a hostile host would send.
  public static let defaultLimit: Int64 = 32 << 30

  /// A file that can be had in several places.
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

  /// A file that can be had in one place.
  public init(_ url: URL, size: Int64? = nil, sha256: String? = nil, limit: Int64 = Self.defaultLimit) {
    self.init(mirrors: [url], size: size, sha256: sha256, limit: limit)
  }

  /// The same, with its digest in lower case.
  ///
  /// - Throws: ``DeliveryError`` when there is nothing to fetch from, the digest is none, or the size is beyond the limit.
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

/// How far a transfer is.
public struct TransferProgress: Sendable, Hashable {
  /// Bytes that are here, those of earlier runs included.
  public let received: Int64
  /// Bytes of the whole, where the host told.
  public let total: Int64?
}

/// What came of a transfer.
public struct TransferResult: Sendable, Hashable {
  /// The mirror that the last byte came from.
  public let url: URL
  /// False when the file that is here already is the newest; nothing was written then.
  public let isModified: Bool
  /// The number of bytes, 0 when not modified.
  public let size: Int64
  /// The SHA-256 of the bytes in hexadecimal, empty when not modified.
  public let sha256: String
  /// The file's entity tag, to ask with the next time; nil where the host gave none.
  public let etag: String?
  /// The file's date of last change, to ask with the next time; nil where the host gave none.
  public let lastModified: String?
}

/// What happens during a transfer. `code` is stable.
public enum TransferEvent: Sendable, Hashable {
  /// A mirror is asked for the bytes from an offset on.
  case asked(URL, offset: Int64)
  /// Bytes of an earlier run are used.
  case resumed(bytes: Int64)
  /// The bytes that were here are dropped, and why.
  case restarted(reason: DeliveryError.Code)
  /// A mirror failed and is asked again after a while.
  case retrying(URL, reason: DeliveryError.Code, after: Duration)
  /// A mirror failed for good.
  case gaveUp(URL, reason: DeliveryError.Code)
  /// The file here is the newest.
  case notModified(URL)
  /// The transfer stopped, and so many bytes are left for a later one.
  case kept(bytes: Int64)
  /// All bytes are here and are what they should be.
  case finished(URL, bytes: Int64)

  /// What happened, for programs: such as `transfer.asked`.
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
