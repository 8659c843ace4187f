import Foundation

/// Numbers that a parameter may be.
// Sendable: never changed once it is made
open class MLNumericConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
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

  // MARK: archives

  /// Archives of constraints may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the constraint says.
  open func encode(with coder: NSCoder) {
    coder.encode(minNumber, forKey: "minNumber")
    coder.encode(maxNumber, forKey: "maxNumber")
    if let enumeratedNumbers {
      coder.encode(numbers: enumeratedNumbers.sorted { $0.doubleValue < $1.doubleValue }, forKey: "enumeratedNumbers")
    }
  }

  /// One from an archive; nil for an archive of something else.
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

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLNumericConstraint else { return false }
    return minNumber == other.minNumber && maxNumber == other.maxNumber && enumeratedNumbers == other.enumeratedNumbers
  }

  override open var hash: Int { minNumber.hashValue }
}
