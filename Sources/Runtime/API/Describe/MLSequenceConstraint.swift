import Foundation

/// The constraint of a sequence feature: the type of its values and their count.
// Sendable: immutable after initialization
open class MLSequenceConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The description of every value: a string or an integer.
  open internal(set) var valueDescription: MLFeatureDescription = MLFeatureDescription()
  /// The allowed count: from `location` up to and including `location + length`.
  open internal(set) var countRange: NSRange = NSRange()

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(valueDescription: MLFeatureDescription, countRange: NSRange) {
    self.init()
    self.valueDescription = valueDescription
    self.countRange = countRange
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(valueDescription, forKey: "valueDescription")
    coder.encode(ranges: [countRange], forKey: "countRange")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let description = coder.object(of: MLFeatureDescription.self, forKey: "valueDescription"),
      let ranges = coder.ranges(forKey: "countRange"), ranges.count == 1
    else { return nil }
    (valueDescription, countRange) = (description, ranges[0])
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLSequenceConstraint else { return false }
    return valueDescription == other.valueDescription && countRange == other.countRange
  }

  override open var hash: Int { valueDescription.hashValue }

  /// A human-readable description.
  override open var description: String { "Sequence (\(valueDescription.type.title))" }

  func allows(_ sequence: MLSequence) -> Bool {
    sequence.type == valueDescription.type && sequence.count >= countRange.location
      && sequence.count - countRange.location <= countRange.length
  }
}
