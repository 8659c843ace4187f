import Foundation

/// Numbers that a parameter may be.
// Sendable: never changed once it is made
open class MLNumericConstraint: NSObject, NSCopying, @unchecked Sendable {
  /// The least that is allowed.
  open internal(set) var minNumber: NSNumber = 0
  /// The most that is allowed.
  open internal(set) var maxNumber: NSNumber = 0
  /// The only numbers allowed, where there is a list.
  open internal(set) var enumeratedNumbers: Set<NSNumber>?

  /// For subclasses that stand for one in tests: everything is empty.
  override public init() { super.init() }

  convenience init(minNumber: NSNumber, maxNumber: NSNumber, enumeratedNumbers: Set<NSNumber>? = nil) {
    self.init()
    self.minNumber = minNumber
    self.maxNumber = maxNumber
    self.enumeratedNumbers = enumeratedNumbers
  }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLNumericConstraint else { return false }
    return minNumber == other.minNumber && maxNumber == other.maxNumber && enumeratedNumbers == other.enumeratedNumbers
  }

  override open var hash: Int { minNumber.hashValue }
}
