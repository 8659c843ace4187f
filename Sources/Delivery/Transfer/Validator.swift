import Foundation

/// What tells two states of a file at its host apart byte for byte (RFC 9110, 8.8): the strong kind only, which a part may be guarded with.
package enum Validator {
  /// The value for `If-Range`, or nil when the response has no strong validator: a strong entity tag, or else a date of last change that
  /// lies so far before the host's own clock that a second change in the same second cannot hide behind it (RFC 9110, 8.8.2.2).
  static func strong(etag: String?, lastModified: String?, date: String?) -> String? {
    if let etag { return isStrongTag(etag) ? etag : nil }
    guard let lastModified, let changed = httpDate(lastModified), let date, let now = httpDate(date),
      now.timeIntervalSince(changed) >= 60
    else { return nil }
    return lastModified
  }

  /// The date to ask with whether a file has changed since, or nil where a change could hide behind it: dates count whole seconds, and a file
  /// that was fetched in the second in which it was written may have been written once more in it.
  static func settled(lastModified: String?, date: String?) -> String? {
    guard let lastModified, let changed = httpDate(lastModified), let date, let now = httpDate(date),
      now.timeIntervalSince(changed) >= 2
    else { return nil }
    return lastModified
  }

  /// A quoted tag without `W/`.
  static func isStrongTag(_ tag: String) -> Bool {
    tag.utf8.count >= 2 && tag.utf8.count <= 1024 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
      && tag.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } && tag.utf8.filter { $0 == UInt8(ascii: "\"") }.count == 2
  }

  /// A date in the one form that hosts are to send: `Sun, 06 Nov 1994 08:49:37 GMT`.
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

  /// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date that counts from the host's own clock, `now`, where it told it.
  package static func retryAfter(_ text: String?, date: String?, now: Date = Date()) -> Duration? {
    guard let text else { return nil }
    if let seconds = Int64(text) { return seconds >= 0 ? .seconds(min(seconds, 1 << 32)) : nil }
    guard let until = httpDate(text) else { return nil }
    let seconds = until.timeIntervalSince(date.flatMap(httpDate) ?? now)
    return .seconds(max(0, min(seconds, 4e9)))
  }
}

/// `Content-Range` (RFC 9110, 14.4): which bytes a part holds, or, for 416, only how many there are.
public struct ContentRange: Sendable, Hashable {
  /// The first and last byte of the part; nil when none was satisfied.
  public let bounds: ClosedRange<Int64>?
  /// The size of the whole, where the host knows it.
  public let total: Int64?

  /// A part of a whole, as a host would state it.
  public init(bounds: ClosedRange<Int64>?, total: Int64?) {
    self.bounds = bounds
    self.total = total
  }

  /// Reads a header's value; nil when it is not in the form `bytes 2-4/10`, `bytes 2-4/*` or `bytes */10`, or contradicts itself.
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
