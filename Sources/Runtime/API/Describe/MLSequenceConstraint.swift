import Foundation

/// What a sequence feature must be: all its values are alike, and how many there are.
// Sendable: never changed once it is made
open class MLSequenceConstraint: NSObject, NSCopying, @unchecked Sendable {
  /// What every value is: strings or integers.
  open internal(set) var valueDescription: MLFeatureDescription = MLFeatureDescription()
  /// How many values: from `location` on, up to `length` more.
  open internal(set) var countRange: NSRange = NSRange()

  /// For subclasses that stand for one in tests: everything is empty.
  override public init() { super.init() }

  convenience init(valueDescription: MLFeatureDescription, countRange: NSRange) {
    self.init()
    self.valueDescription = valueDescription
    self.countRange = countRange
  }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLSequenceConstraint else { return false }
    return valueDescription == other.valueDescription && countRange == other.countRange
  }

  override open var hash: Int { valueDescription.hashValue }

  /// As people read it.
  override open var description: String { "Sequence (\(valueDescription.type.title))" }

  func allows(_ sequence: MLSequence) -> Bool {
    sequence.type == valueDescription.type && sequence.count >= countRange.location
      && sequence.count - countRange.location <= countRange.length
  }
}
