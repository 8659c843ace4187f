import Foundation

/// The name of a parameter or metric. With a scope (the name of a layer or sub-model) it refers to that part of the
/// model.
// Sendable: immutable
open class MLKey: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The name of the parameter or metric.
  public let name: String
  /// The layer or sub-model; nil for the whole model.
  public let scope: String?

  init(_ name: String, scope: String? = nil) {
    self.name = name
    self.scope = scope
  }

  /// Keys support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the name and the scope.
  open func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(scope.map { $0 as NSString }, forKey: "scope")
  }

  /// Decodes a key; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = "\(name)"
    scope = coder.decodeObject(of: NSString.self, forKey: "scope").map { "\($0)" }
  }

  /// Returns `self`; a key is immutable.
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
