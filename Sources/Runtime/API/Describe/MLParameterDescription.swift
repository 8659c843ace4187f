import Foundation

/// A parameter that a training task may set: its default, and the numbers it may be.
// Sendable: never changed once it is made; the default is a number
open class MLParameterDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The key to set it by.
  open internal(set) var key = MLParameterKey("")
  /// An `NSNumber`.
  open internal(set) var defaultValue: Any = NSNumber(value: 0)
  /// What it may be; nil where any number of its kind may be given.
  open internal(set) var numericConstraint: MLNumericConstraint?

  /// For subclasses that stand for one in tests: everything is empty.
  override public init() { super.init() }

  convenience init(key: MLParameterKey, defaultValue: Any, numericConstraint: MLNumericConstraint?) {
    self.init()
    self.key = key
    self.defaultValue = defaultValue
    self.numericConstraint = numericConstraint
  }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of descriptions may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the description says.
  open func encode(with coder: NSCoder) {
    coder.encode(key, forKey: "key")
    coder.encode(defaultValue as? NSNumber, forKey: "defaultValue")
    coder.encode(numericConstraint, forKey: "numericConstraint")
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let key = coder.object(of: MLParameterKey.self, forKey: "key"),
      let value = coder.object(of: NSNumber.self, forKey: "defaultValue")
    else { return nil }
    (self.key, defaultValue) = (key, value)
    numericConstraint = coder.object(of: MLNumericConstraint.self, forKey: "numericConstraint")
    super.init()
  }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLParameterDescription else { return false }
    return key == other.key && numericConstraint == other.numericConstraint
      && (defaultValue as? NSNumber) == (other.defaultValue as? NSNumber)
  }

  override open var hash: Int { key.hash }

  /// As people read it.
  override open var description: String { "\(key) : \(defaultValue)" }
}
