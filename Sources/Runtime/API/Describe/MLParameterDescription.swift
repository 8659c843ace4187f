import Foundation

/// A parameter that a training task may set: its default value and its allowed values.
// Sendable: immutable after initialization; the default value is a number
open class MLParameterDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The key of the parameter.
  open internal(set) var key = MLParameterKey("")
  /// The default value, an `NSNumber`.
  open internal(set) var defaultValue: Any = NSNumber(value: 0)
  /// The allowed values; nil if any number of the parameter's type is allowed.
  open internal(set) var numericConstraint: MLNumericConstraint?

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(key: MLParameterKey, defaultValue: Any, numericConstraint: MLNumericConstraint?) {
    self.init()
    self.key = key
    self.defaultValue = defaultValue
    self.numericConstraint = numericConstraint
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Descriptions support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the description.
  open func encode(with coder: NSCoder) {
    coder.encode(key, forKey: "key")
    coder.encode(defaultValue as? NSNumber, forKey: "defaultValue")
    coder.encode(numericConstraint, forKey: "numericConstraint")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let key = coder.object(of: MLParameterKey.self, forKey: "key"),
      let value = coder.object(of: NSNumber.self, forKey: "defaultValue")
    else { return nil }
    (self.key, defaultValue) = (key, value)
    numericConstraint = coder.object(of: MLNumericConstraint.self, forKey: "numericConstraint")
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLParameterDescription else { return false }
    return key == other.key && numericConstraint == other.numericConstraint
      && (defaultValue as? NSNumber) == (other.defaultValue as? NSNumber)
  }

  override open var hash: Int { key.hash }

  /// A human-readable description.
  override open var description: String { "\(key) : \(defaultValue)" }
}
