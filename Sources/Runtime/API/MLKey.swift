import Foundation

/// The name of a parameter or of a metric, of one part of a model where it has a scope (a layer's or a sub-model's name).
// Sendable: immutable
public class MLKey: NSObject, NSCopying, @unchecked Sendable {
  public let name: String
  public let scope: String?

  init(_ name: String, scope: String? = nil) {
    self.name = name
    self.scope = scope
  }

  /// Itself: a key never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  override public func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLKey, Swift.type(of: other) == Swift.type(of: self) else { return false }
    return other.name == name && other.scope == scope
  }

  override public var hash: Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(scope)
    return hasher.finalize()
  }

  override public var description: String { scope.map { "\($0)/\(name)" } ?? name }
}
