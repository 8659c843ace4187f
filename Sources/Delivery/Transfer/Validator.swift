import Foundation

/// Validators that distinguish versions of a file byte for byte (RFC 9110, 8.8). Only strong validators can guard a
/// partial download.
package enum Validator {
  /// Returns the value for `If-Range`; nil if the response has no strong validator. It is a strong entity tag, or else
  /// a `Last-Modified` date at least 60 seconds before the host's time. A second change in the same second then cannot
  /// go unnoticed (RFC 9110, 8.8.2.2).
  static func strong(etag: String?, lastModified: String?, date: String?) -> String? {
    if let etag { return isStrongTag(etag) ? etag : nil }
    guard let lastModified, let changed = httpDate(lastModified), let date, let now = httpDate(date),
      now.timeIntervalSince(changed) >= 60
    else { return nil }
    return lastModified
  }

  /// Returns the date for `If-Modified-Since`; nil if a change could go unnoticed. HTTP dates have a resolution of one
  /// second, so a file fetched in the second of its change may change again in that second.
  static func settled(lastModified: String?, date: String?) -> String? {
    guard let lastModified, let changed = httpDate(lastModified), let date, let now = httpDate(date),
      now.timeIntervalSince(changed) >= 2
    else { return nil }
    return lastModified
  }

  /// Returns whether a tag is a quoted entity tag without `W/`.
  static func isStrongTag(_ tag: String) -> Bool {
    tag.utf8.count >= 2 && tag.utf8.count <= 1024 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
      && tag.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } && tag.utf8.filter { $0 == UInt8(ascii: "\"") }.count == 2
  }

  /// Parses a date in the preferred HTTP format: `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func httpDate(_ text: String) -> Date? {
    let parts = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
      let month = months.firstIndex(of: String(parts[2])),
      let year = Int(parts[3]), (1900...9999).contains(year), (1...31).contains(day)
    else { return nil }
    let time = parts[4].split(separator: ":").compactMap { Int($0) }
    guard time.count == 3, (0..<24).contains(time[0]), (0..<60).contains(time[1]), (0...60).contains(time[2]) else {
      return nil
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(
      from: DateComponents(
        year: year, month: month + 1, day: day, hour: time[0], minute: time[1], second: time[2]))
  }

  /// Parses `Retry-After` (RFC 9110, 10.2.3): seconds, or a date relative to the host's time `date`, or to `now` if the
  /// host sent none.
  package static func retryAfter(_ text: String?, date: String?, now: Date = Date()) -> Duration? {
    guard let text else { return nil }
    if let seconds = Int64(text) { return seconds >= 0 ? .seconds(min(seconds, 1 << 32)) : nil }
    guard let until = httpDate(text) else { return nil }
    let seconds = until.timeIntervalSince(date.flatMap(httpDate) ?? now)
    return .seconds(max(0, min(seconds, 4e9)))
  }
}

/// `Content-Range` (RFC 9110, 14.4): the byte range of a part, or only the total size in a 416 response.
public struct ContentRange: Sendable, Hashable {
  /// The first and last byte of the part; nil in a 416 response.
  public let bounds: ClosedRange<Int64>?
  /// The total size; nil if the host does not know it.
  public let total: Int64?

  /// Creates a range.
  public init(bounds: ClosedRange<Int64>?, total: Int64?) {
    self.bounds = bounds
    self.total = total
  }

  /// Parses a header value. Returns nil unless it is a consistent `bytes 2-4/10`, `bytes 2-4/*` or `bytes */10`.
  public init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    if sides[1] == "*" {
      total = nil
    } else {
      guard let number = Self.number(sides[1]) else { return nil }
      total = number
    }
    if sides[0] == "*" {
      guard total != nil else { return nil }
      bounds = nil
      return
    }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
      return nil
    }
    if let total, last >= total { return nil }
    bounds = first...last
  }

  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard let value = Int64(text), value < 1 << 62 else { return nil }
    return value
  }
}
