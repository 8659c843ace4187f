import Foundation

/// The name of a parameter or of a metric, of one part of a model where it has a scope (a layer's or a sub-model's name).
// Sendable: immutable
open class MLKey: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The parameter or the metric.
  public let name: String
  /// The layer or sub-model; nil for the whole model.
  public let scope: String?

  init(_ name: String, scope: String? = nil) {
    self.name = name
    self.scope = scope
  }

  /// Archives of keys may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes the name and the scope.
  open func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(scope.map { $0 as NSString }, forKey: "scope")
  }

  /// A key from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = "\(name)"
    scope = coder.decodeObject(of: NSString.self, forKey: "scope").map { "\($0)" }
  }

  /// Itself: a key never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLKey, Swift.type(of: other) == Swift.type(of: self) else { return false }
    return other.name == name && other.scope == scope
  }

  override open var hash: Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(scope)
    return hasher.finalize()
  }

  override open var description: String { scope.map { "\($0)/\(name)" } ?? name }
}
