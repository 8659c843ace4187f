import Foundation

/// What a dictionary feature must be: all its keys are of one type; its values are numbers.
// Sendable: never changed once it is made
open class MLDictionaryConstraint: NSObject, NSCopying, @unchecked Sendable {
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

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLDictionaryConstraint else { return false }
    return keyType == other.keyType
  }

  override open var hash: Int { keyType.hashValue }

  /// As people read it.
  override open var description: String { "Dictionary (\(keyType.title) → Double)" }
}
