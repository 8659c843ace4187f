import Foundation

/// The values that a numeric parameter may have.
// Sendable: immutable after initialization
open class MLNumericConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The smallest allowed value.
  open internal(set) var minNumber: NSNumber = 0
  /// The largest allowed value.
  open internal(set) var maxNumber: NSNumber = 0
  /// The only allowed values; nil if every value in the range is allowed.
  open internal(set) var enumeratedNumbers: Set<NSNumber>?

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(minNumber: NSNumber, maxNumber: NSNumber, enumeratedNumbers: Set<NSNumber>? = nil) {
    self.init()
    self.minNumber = minNumber
    self.maxNumber = maxNumber
    self.enumeratedNumbers = enumeratedNumbers
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(minNumber, forKey: "minNumber")
    coder.encode(maxNumber, forKey: "maxNumber")
    if let enumeratedNumbers {
      coder.encode(numbers: enumeratedNumbers.sorted { $0.doubleValue < $1.doubleValue }, forKey: "enumeratedNumbers")
    }
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let least = coder.object(of: NSNumber.self, forKey: "minNumber"),
      let most = coder.object(of: NSNumber.self, forKey: "maxNumber")
    else { return nil }
    (minNumber, maxNumber) = (least, most)
    if coder.containsValue(forKey: "enumeratedNumbers") {
      guard let numbers = coder.numbers(forKey: "enumeratedNumbers") else { return nil }
      enumeratedNumbers = Set(numbers)
    }
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLNumericConstraint else { return false }
    return minNumber == other.minNumber && maxNumber == other.maxNumber && enumeratedNumbers == other.enumeratedNumbers
  }

  override open var hash: Int { minNumber.hashValue }
}
