import Foundation

/// A moment, to the second, as signed documents state it: RFC 3339 in UTC, `2026-01-31T12:00:00Z`.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
  /// Seconds since 1970, between the years 1 and 9999.
  public let seconds: Int64

  private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Moments outside of the years 1 to 9999 become the nearest within.
  public init(seconds: Int64) { self.seconds = min(max(seconds, Self.range.lowerBound), Self.range.upperBound) }

  /// The moment of a date, rounded down; dates that are no number become 1970.
  public init(_ date: Date) {
    self.init(seconds: Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0)
  }

  /// Nil unless the text is of the one form.
  public init?(_ text: String) {
    guard text.utf8.count == 20, let date = try? Date.ISO8601FormatStyle().parse(text) else { return nil }
    self.init(date)
    guard description == text else { return nil }
  }

  /// What the device's clock says.
  public static var now: Timestamp { Timestamp(Date()) }

  public var description: String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(Date.ISO8601FormatStyle())
  }

  /// The moment so many seconds later.
  public func advanced(by seconds: Int64) -> Timestamp {
    let (sum, overflow) = self.seconds.addingReportingOverflow(seconds)
    return Timestamp(seconds: overflow ? (seconds < 0 ? Self.range.lowerBound : Self.range.upperBound) : sum)
  }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.seconds < b.seconds }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let moment = Timestamp(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a moment such as 2026-01-31T12:00:00Z, found '\(text.prefix(40))'")
    }
    self = moment
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
