import Foundation

/// What a sequence feature must be: all its values are alike, and how many there are.
// Sendable: never changed once it is made
open class MLSequenceConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
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

  // MARK: archives

  /// Archives of constraints may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the constraint says.
  open func encode(with coder: NSCoder) {
    coder.encode(valueDescription, forKey: "valueDescription")
    coder.encode(ranges: [countRange], forKey: "countRange")
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let description = coder.object(of: MLFeatureDescription.self, forKey: "valueDescription"),
      let ranges = coder.ranges(forKey: "countRange"), ranges.count == 1
    else { return nil }
    (valueDescription, countRange) = (description, ranges[0])
    super.init()
  }

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
