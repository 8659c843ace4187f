import Foundation

/// How long a signed document is believed.
public struct FreshnessPolicy: Sendable, Equatable {
  /// For so many seconds past its expiry a document is used with a warning; after that it is refused. A week by default: a publisher who
  /// is late, or a device that was away, is told before anything stops. Installed models keep working in any case.
  public var grace: Int64
  /// A clock that is behind a signed moment by more than so many seconds is reported. A day by default.
  public var clockTolerance: Int64

  public init(grace: Int64 = 7 * 86_400, clockTolerance: Int64 = 86_400) {
    self.grace = grace
    self.clockTolerance = clockTolerance
  }

  /// No grace: what has expired is refused.
  public static let strict = FreshnessPolicy(grace: 0)
}

/// What is told beside a result.
public struct DeliveryWarning: Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// A document has expired and is used within its grace.
    case expired = "delivery.warning.expired"
    /// The device's clock is behind moments that the publisher has signed.
    case clockBehind = "delivery.warning.clock-behind"
  }

  public let code: Code
  public let message: String
  public var description: String { message }
}

extension FreshnessPolicy {
  /// Checks one document.
  ///
  /// A clock that is behind what was signed is wrong, and counts as that moment: the document was not made in the future.
  /// - Throws: ``DeliveryError`` `expired`.
  func check(_ document: String, created: Timestamp, expires: Timestamp, now: Timestamp) throws -> [DeliveryWarning] {
    var warnings: [DeliveryWarning] = []
    if now.advanced(by: clockTolerance) < created {
      warnings.append(
        DeliveryWarning(
          code: .clockBehind,
          message: "the clock of this device says \(now), and the \(document) was signed at \(created)"))
    }
    let moment = max(now, created)
    guard expires < moment else { return warnings }
    guard moment <= expires.advanced(by: grace) else {
      throw DeliveryError(
        .expired,
        "the \(document) expired at \(expires) and the clock of this device says \(now): it may not be the newest")
    }
    warnings.append(
      DeliveryWarning(
        code: .expired,
        message: "the \(document) expired at \(expires); it is refused from \(expires.advanced(by: grace)) on"))
    return warnings
  }
}
