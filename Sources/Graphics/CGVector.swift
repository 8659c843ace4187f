import Foundation

/// A direction with a length.
public struct CGVector: Equatable, Hashable, Sendable, Codable {
  /// How far to the right.
  public var dx: CGFloat
  /// How far up.
  public var dy: CGFloat

  /// No length.
  public static let zero = CGVector(dx: 0, dy: 0)

  /// A direction of two numbers.
  public init(dx: CGFloat, dy: CGFloat) { (self.dx, self.dy) = (dx, dy) }

  /// No length.
  public init() { self = .zero }

  /// A direction of two numbers.
  public init(dx: Double, dy: Double) { self.init(dx: CGFloat(dx), dy: CGFloat(dy)) }

  /// A direction of two numbers.
  public init(dx: Int, dy: Int) { self.init(dx: CGFloat(dx), dy: CGFloat(dy)) }
}
