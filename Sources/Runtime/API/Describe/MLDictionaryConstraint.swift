import Foundation

/// The constraint of a dictionary feature: all its keys are of one type, and its values are numbers.
// Sendable: immutable after initialization
open class MLDictionaryConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// `.string` or `.int64`.
  open internal(set) var keyType: MLFeatureType = .string

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(keyType: MLFeatureType) {
    self.init()
    self.keyType = keyType
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(keyType.rawValue, forKey: "keyType")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let type = coder.choice(MLFeatureType.self, forKey: "keyType") else { return nil }
    keyType = type
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLDictionaryConstraint else { return false }
    return keyType == other.keyType
  }

  override open var hash: Int { keyType.hashValue }

  /// A human-readable description.
  override open var description: String { "Dictionary (\(keyType.title) → Double)" }
}
