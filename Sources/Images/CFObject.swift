/// An object like those of Core Foundation, such as an image. It can be a dictionary key, and equality is identity
/// unless its type defines it.
public protocol _CFObject: AnyObject, Hashable {}

extension _CFObject {
  /// Whether both are the same object.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }
  /// Hashes the identity of the object, not its contents.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
