import Foundation

/// A time in whole seconds, as signed documents state it: RFC 3339 in UTC, `2026-01-31T12:00:00Z`.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
  /// Seconds since 1970-01-01, within the years 1 to 9999.
  public let seconds: Int64

  private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Creates a timestamp. Times outside of the years 1 to 9999 are clamped.
  public init(seconds: Int64) { self.seconds = min(max(seconds, Self.range.lowerBound), Self.range.upperBound) }

  /// Creates a timestamp from a date, rounded down. A date that is NaN becomes 1970.
  public init(_ date: Date) {
    self.init(seconds: Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0)
  }

  /// Parses exactly the format `2026-01-31T12:00:00Z`; nil for any other text.
  public init?(_ text: String) {
    guard text.utf8.count == 20, let date = try? Date.ISO8601FormatStyle().parse(text) else { return nil }
    self.init(date)
    guard description == text else { return nil }
  }

  /// The time of the device's clock.
  public static var now: Timestamp { Timestamp(Date()) }

  public var description: String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(Date.ISO8601FormatStyle())
  }

  /// Returns the time that many seconds later, clamped to the range.
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
