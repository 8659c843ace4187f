/// An object of Core Foundation's kind, such as a picture: a key of dictionaries, equal to itself alone unless its type says otherwise.
public protocol _CFObject: AnyObject, Hashable {}

extension _CFObject {
  /// Whether both are one object.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }
  /// Of the object, not of what it holds.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
