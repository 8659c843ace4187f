import Foundation

/// An affine transform of the plane: x' = a x + c y + tx, y' = b x + d y + ty.
public struct CGAffineTransform: Equatable, Sendable, Codable {
  /// The factor of x in x'.
  public var a: CGFloat
  /// The factor of x in y'.
  public var b: CGFloat
  /// The factor of y in x'.
  public var c: CGFloat
  /// The factor of y in y'.
  public var d: CGFloat
  /// The translation of x'.
  public var tx: CGFloat
  /// The translation of y'.
  public var ty: CGFloat

  /// Creates a transform from its six elements.
  public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  /// Creates a transform from its six elements.
  public init(_ a: CGFloat, _ b: CGFloat, _ c: CGFloat, _ d: CGFloat, _ tx: CGFloat, _ ty: CGFloat) {
    self.init(a: a, b: b, c: c, d: d, tx: tx, ty: ty)
  }

  /// Creates a transform that maps every point to the origin.
  public init() { self.init(0, 0, 0, 0, 0, 0) }

  /// Creates a translation.
  public init(translationX tx: CGFloat, y ty: CGFloat) { self.init(1, 0, 0, 1, tx, ty) }

  /// Creates a scaling.
  public init(scaleX sx: CGFloat, y sy: CGFloat) { self.init(sx, 0, 0, sy, 0, 0) }

  /// Creates a rotation by an angle in radians, from the x axis to the y axis.
  public init(rotationAngle angle: CGFloat) {
    let (sine, cosine) = (CGFloat(sin(Double(angle))), CGFloat(cos(Double(angle))))
    self.init(cosine, sine, -sine, cosine, 0, 0)
  }

  /// The identity transform.
  public static let identity = CGAffineTransform(1, 0, 0, 1, 0, 0)

  /// Whether this is the identity transform.
  public var isIdentity: Bool { self == .identity }

  /// This transform followed by another.
  public func concatenating(_ other: CGAffineTransform) -> CGAffineTransform {
    CGAffineTransform(
      a * other.a + b * other.c, a * other.b + b * other.d, c * other.a + d * other.c, c * other.b + d * other.d,
      tx * other.a + ty * other.c + other.tx, tx * other.b + ty * other.d + other.ty)
  }

  /// This transform preceded by a translation.
  public func translatedBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
    CGAffineTransform(translationX: x, y: y).concatenating(self)
  }

  /// This transform preceded by a scaling.
  public func scaledBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
    CGAffineTransform(scaleX: x, y: y).concatenating(self)
  }

  /// This transform preceded by a rotation by an angle in radians.
  public func rotated(by angle: CGFloat) -> CGAffineTransform {
    CGAffineTransform(rotationAngle: angle).concatenating(self)
  }

  /// The inverse transform; this transform if it has no inverse.
  public func inverted() -> CGAffineTransform {
    let area = a * d - b * c
    guard area != 0, area.isFinite else { return self }
    return CGAffineTransform(
      d / area, -b / area, -c / area, a / area, (c * ty - d * tx) / area, (b * tx - a * ty) / area)
  }
}

extension CGPoint {
  /// The transformed point.
  public func applying(_ map: CGAffineTransform) -> CGPoint {
    CGPoint(x: map.a * x + map.c * y + map.tx, y: map.b * x + map.d * y + map.ty)
  }
}

extension CGSize {
  /// The transformed size, without the translation.
  public func applying(_ map: CGAffineTransform) -> CGSize {
    CGSize(width: map.a * width + map.c * height, height: map.b * width + map.d * height)
  }
}

extension CGRect {
  /// The bounding box of the transformed rectangle.
  public func applying(_ map: CGAffineTransform) -> CGRect {
    let corners = [(minX, minY), (maxX, minY), (minX, maxY), (maxX, maxY)].map {
      CGPoint(x: $0.0, y: $0.1).applying(map)
    }
    let (left, right) = (corners.map(\.x).min() ?? 0, corners.map(\.x).max() ?? 0)
    let (low, high) = (corners.map(\.y).min() ?? 0, corners.map(\.y).max() ?? 0)
    return CGRect(x: left, y: low, width: right - left, height: high - low)
  }
}
