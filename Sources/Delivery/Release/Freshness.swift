import Foundation

/// How long a signed document is believed.
public struct FreshnessPolicy: Sendable, Equatable, Codable {
  /// For so many seconds past its expiry a document is used with a warning; after that it is refused. A week by default: a publisher who
  /// is late, or a device that was away, is told before anything stops. Installed models keep working in any case.
  public var grace: Int64
  /// A clock that is behind a signed moment by more than so many seconds is reported. A day by default.
  public var clockTolerance: Int64
  /// A manifest counts for at most so many seconds from its signing, whatever it says itself: 90 days by default.
  public var manifestLifetime: Int64
  /// The same for freshness statements: two weeks by default.
  public var statementLifetime: Int64
  /// For so many seconds past its expiry a freshness statement counts with a warning; after that no manifest is believed without a newer
  /// one. A day by default; `.max`: there are only warnings.
  public var statementGrace: Int64

  /// A policy in seconds, with the defaults that each property states.
  public init(
    grace: Int64 = 7 * 86_400, clockTolerance: Int64 = 86_400, manifestLifetime: Int64 = 90 * 86_400,
    statementLifetime: Int64 = 14 * 86_400, statementGrace: Int64 = 86_400
  ) {
    self.grace = grace
    self.clockTolerance = clockTolerance
    self.manifestLifetime = manifestLifetime
    self.statementLifetime = statementLifetime
    self.statementGrace = statementGrace
  }

  /// No grace: what has expired is refused.
  public static let strict = FreshnessPolicy(grace: 0, statementGrace: 0)
}

/// What is told beside a result.
public struct DeliveryWarning: Sendable, Equatable, CustomStringConvertible {
  /// What is amiss, as a stable word.
  public enum Code: String, Sendable {
    /// A document has expired and is used within its grace.
    case expired = "delivery.warning.expired"
    /// Nothing new says that the manifest is still the newest one.
    case stale = "delivery.warning.stale"
    /// The device's clock is behind moments that the publisher has signed.
    case clockBehind = "delivery.warning.clock-behind"
  }

  /// What is amiss, for programs.
  public let code: Code
  /// What is amiss, for people.
  public let message: String
  public var description: String { message }
}

/// What of a signed document says how long it counts.
struct SignedTimes {
  let document: String
  let created: Timestamp
  let expires: Timestamp

  /// - Parameter lifetime: the longest that is believed.
  init(_ document: String, created: Timestamp, expires: Timestamp, atMost lifetime: Int64 = .max) {
    (self.document, self.created) = (document, created)
    self.expires = min(expires, created.advanced(by: lifetime))
  }
}

extension FreshnessPolicy {
  /// Checks documents that belong together.
  ///
  /// A clock that is behind what was signed is wrong, and counts as that moment: no document was made in the future. What is known of
  /// one document holds for the others too, and what was known before for all.
  /// - Parameter signed: the latest moment that is known to have been signed.
  /// - Throws: ``DeliveryError`` `expired`.
  func check(_ documents: [SignedTimes], signed: Timestamp, now: Timestamp) throws -> [DeliveryWarning] {
    var warnings: [DeliveryWarning] = []
    for document in documents where now.advanced(by: clockTolerance) < document.created {
      warnings.append(clockBehind(now, "the \(document.document) was signed at \(document.created)"))
    }
    if warnings.isEmpty, now.advanced(by: clockTolerance) < signed {
      warnings.append(clockBehind(now, "something was signed at \(signed)"))
    }
    let moment = documents.map(\.created).reduce(max(now, signed), max)
    for document in documents where document.expires < moment {
      guard moment <= document.expires.advanced(by: grace) else {
        throw DeliveryError(
          .expired,
          "the \(document.document) expired at \(document.expires) and it is \(moment) or later: it may not be the newest"
        )
      }
      warnings.append(
        DeliveryWarning(
          code: .expired,
          message:
            "the \(document.document) expired at \(document.expires); it is refused from \(document.expires.advanced(by: grace)) on"
        ))
    }
    return warnings
  }

  private func clockBehind(_ now: Timestamp, _ what: String) -> DeliveryWarning {
    DeliveryWarning(code: .clockBehind, message: "the clock of this device says \(now), and \(what)")
  }

  /// Checks what says that a manifest is the newest one.
  ///
  /// - Parameter expires: of the statement; where there is none, when the root that asks for one was made.
  /// - Throws: ``DeliveryError`` `stale`.
  func checkStatement(expires: Timestamp?, root: Timestamp, moment: Timestamp) throws -> [DeliveryWarning] {
    let end = expires ?? root
    if expires != nil, moment <= end { return [] }
    let what = expires.map { "the freshness statement expired at \($0)" } ?? "the host has no freshness statement"
    guard moment <= end.advanced(by: statementGrace) else {
      throw DeliveryError(.stale, "\(what) and it is \(moment) or later: newer manifests may be held back")
    }
    return [
      DeliveryWarning(
        code: .stale, message: "\(what); no manifest is believed from \(end.advanced(by: statementGrace)) on")
    ]
  }
}
