import Foundation

/// What a dictionary feature must be: all its keys are of one type; its values are numbers.
// Sendable: never changed once it is made
open class MLDictionaryConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// `.string` or `.int64`.
  open internal(set) var keyType: MLFeatureType = .string

  /// For subclasses that stand for one in tests: everything is empty.
  override public init() { super.init() }

  convenience init(keyType: MLFeatureType) {
    self.init()
    self.keyType = keyType
  }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of constraints may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the constraint says.
  open func encode(with coder: NSCoder) {
    coder.encode(keyType.rawValue, forKey: "keyType")
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let type = coder.choice(MLFeatureType.self, forKey: "keyType") else { return nil }
    keyType = type
    super.init()
  }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLDictionaryConstraint else { return false }
    return keyType == other.keyType
  }

  override open var hash: Int { keyType.hashValue }

  /// As people read it.
  override open var description: String { "Dictionary (\(keyType.title) → Double)" }
}
