import Foundation

/// The limits on the age of signed documents.
public struct FreshnessPolicy: Sendable, Equatable, Codable {
  /// The grace period in seconds after a document's expiry, a week by default. During this time the document is used
  /// with a warning; later it is rejected. So late publishers and offline devices get a warning first. Installed models
  /// keep working in any case.
  public var grace: Int64
  /// A warning is given if the device's clock is behind a signing time by more than this, in seconds. A day by default.
  public var clockTolerance: Int64
  /// The maximum lifetime of a manifest in seconds, regardless of its own expiry. 90 days by default.
  public var manifestLifetime: Int64
  /// The maximum lifetime of a freshness statement in seconds, regardless of its own expiry. Two weeks by default.
  public var statementLifetime: Int64
  /// The grace period in seconds after a freshness statement's expiry, a day by default. During this time it is used
  /// with a warning; later no manifest is accepted without a newer statement. With `.max` there are only warnings.
  public var statementGrace: Int64

  /// Creates a policy; all values are in seconds.
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

  /// A policy without grace periods: expired documents are rejected.
  public static let strict = FreshnessPolicy(grace: 0, statementGrace: 0)
}

/// A problem that does not prevent a result.
public struct DeliveryWarning: Sendable, Equatable, CustomStringConvertible {
  /// The stable identifier of a warning.
  public enum Code: String, Sendable {
    /// A document has expired and is used within its grace period.
    case expired = "delivery.warning.expired"
    /// No current freshness statement confirms that the manifest is the newest.
    case stale = "delivery.warning.stale"
    /// The device's clock is behind the signing time of a document.
    case clockBehind = "delivery.warning.clock-behind"
  }

  /// The warning as a stable code.
  public let code: Code
  /// The warning as a readable sentence.
  public let message: String
  public var description: String { message }
}

/// The validity period of a signed document.
struct SignedTimes {
  let document: String
  let created: Timestamp
  let expires: Timestamp

  /// - Parameter lifetime: the maximum lifetime, in seconds.
  init(_ document: String, created: Timestamp, expires: Timestamp, atMost lifetime: Int64 = .max) {
    (self.document, self.created) = (document, created)
    self.expires = min(expires, created.advanced(by: lifetime))
  }
}

extension FreshnessPolicy {
  /// Checks the validity periods of documents.
  ///
  /// The current time is at least the latest known signing time, because no document is signed in the future. So a
  /// device clock that is behind is corrected to that time. The correction applies to all of the documents.
  ///
  /// - Parameter signed: the latest signing time known from earlier documents.
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

  /// Checks the freshness statement of a manifest.
  ///
  /// - Parameters:
  ///   - expires: when the statement expires; nil if there is no statement. The grace period then begins at `root`.
  ///   - root: when the root was signed.
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
