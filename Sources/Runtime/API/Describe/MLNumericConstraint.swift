import Foundation

/// Numbers that a parameter may be.
// Sendable: immutable
public final class MLNumericConstraint: @unchecked Sendable {
  /// The least that is allowed.
  public let minNumber: NSNumber
  /// The most that is allowed.
  public let maxNumber: NSNumber
  /// The only numbers allowed, where there is a list.
  public let enumeratedNumbers: Set<NSNumber>?

  init(minNumber: NSNumber, maxNumber: NSNumber, enumeratedNumbers: Set<NSNumber>? = nil) {
    self.minNumber = minNumber
    self.maxNumber = maxNumber
    self.enumeratedNumbers = enumeratedNumbers
  }
}
