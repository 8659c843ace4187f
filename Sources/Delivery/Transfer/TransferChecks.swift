import Foundation

/// Checks a response before its bytes are accepted.
struct TransferChecks {
  let item: TransferItem
  let response: TransferResponse
  /// The validator in the request for a part.
  let ifRange: String?

  private var name: String { response.url.display }

  /// Returns the error code of a status without file content; nil for the statuses that `beginning` checks.
  static func refusal(of status: Int) -> DeliveryError.Code? {
    switch status {
    case 200, 206, 416: nil
    case 404, 410: .notFound
    case 401, 403, 407, 451: .forbidden
    case 429, 503: .busy
    case 408, 425, 500...599: .hostFailed
    default: .badResponse
    }
  }

  enum Beginning {
    /// The body continues at the end of the existing bytes.
    case part
    /// The body is the whole file.
    case whole
    /// The existing bytes are unusable.
    case again(DeliveryError.Code)
  }

  /// Determines where the body begins, and whether the existing bytes belong to the same version of the file.
  func beginning(after held: HeldBytes) throws -> Beginning {
    switch response.status {
    case 200: return .whole
    case 416:
      guard held.count > 0 else {
        throw DeliveryError(.badResponse, "\(name): the host refuses a range that nobody asked for (status 416)")
      }
      return .again(.wrongRange)
    default: break
    }
    guard held.count > 0 else {
      throw DeliveryError(.badResponse, "\(name): the host sends a part, and the whole was asked for (status 206)")
    }
    guard let range = response.contentRange, let bounds = range.bounds else {
      throw DeliveryError(.wrongRange, "\(name): the host sends a part and does not say which")
    }
    guard bounds.lowerBound == held.count else {
      throw DeliveryError(
        .wrongRange, "\(name): expected the bytes from \(held.count) on, found those from \(bounds.lowerBound) on")
    }
    if let length = response.contentLength, length != bounds.upperBound - bounds.lowerBound + 1 {
      throw DeliveryError(
        .wrongRange,
        "\(name): the host sends bytes \(bounds.lowerBound) to \(bounds.upperBound) and says they are \(length)")
    }
    if let total = held.total, let found = range.total, total != found { return .again(.keepsChanging) }
    if let ifRange, let etag = response.etag, Validator.isStrongTag(etag), Validator.isStrongTag(ifRange),
      etag != ifRange
    {
      return .again(.keepsChanging)
    }
    // The part may end before the file does, which would be undetectable without a size or a digest.
    if range.total == nil && held.total == nil && item.size == nil && item.sha256 == nil { return .again(.wrongRange) }
    return .part
  }

  /// The declared sizes.
  struct Declared {
    /// The number of bytes received once the body has ended; nil if unknown.
    var end: Int64?
    /// The size of the whole file; nil if unknown.
    var total: Int64?
  }

  /// Checks the declared sizes against the expected size and the limit, before any byte is written.
  func declared(after held: HeldBytes) throws -> Declared {
    if let encoding = response.contentEncoding, item.sha256 == nil {
      throw DeliveryError(
        .contentEncoding,
        "\(name): expected the file's own bytes, found them encoded ('\(encoding.prefix(40))'), and no SHA-256 is known"
      )
    }
    var declared = Declared()
    if response.status == 206 {
      declared.end = response.contentRange?.bounds.map { $0.upperBound + 1 }
      declared.total = response.contentRange?.total ?? held.total
    } else {
      declared.end = response.contentLength
      declared.total = response.contentLength
    }
    if let size = item.size {
      if let total = declared.total, total != size {
        throw DeliveryError(.wrongSize, "\(name): expected \(size) bytes, the host has \(total)")
      }
      declared.total = size
      declared.end = declared.end ?? size
    }
    if let total = declared.total ?? declared.end, total > item.limit {
      throw DeliveryError(.tooLarge, "\(name): expected at most \(item.limit) bytes, the host has \(total)")
    }
    if declared.total == nil && !response.isDelimited && item.sha256 == nil {
      throw DeliveryError(
        .unknownLength, "\(name): the host tells neither the size nor the end of the file, and no SHA-256 is known")
    }
    return declared
  }

  var validator: String? {
    Validator.strong(etag: response.etag, lastModified: response.lastModified, date: response.date)
  }
}
