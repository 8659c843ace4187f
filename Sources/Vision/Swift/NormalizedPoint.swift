import Foundation

/// The corner of an image that is the origin of pixel coordinates.
public enum CoordinateOrigin: Hashable, Sendable {
  /// Rows count downwards, as in memory.
  case upperLeft
  /// Rows count upwards, as in Vision.
  case lowerLeft
}

/// A point in fractions of an image. The origin is the lower left corner.
///
/// Fractions outside 0 to 1 are allowed.
public struct NormalizedPoint: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The fractions.
  public let cgPoint: CGPoint

  /// Creates a point from two fractions.
  public init(x: CGFloat, y: CGFloat) { cgPoint = CGPoint(x: x, y: y) }

  /// Creates a point from two fractions.
  public init(normalizedPoint: CGPoint) { cgPoint = normalizedPoint }

  /// Converts a point in pixels to fractions. Both origins are the lower left corner.
  ///
  /// - Parameters:
  ///   - imagePoint: A point in pixels.
  ///   - imageSize: The size of the image in pixels.
  public init(imagePoint: CGPoint, in imageSize: CGSize) {
    self.init(x: imagePoint.x / imageSize.width, y: imagePoint.y / imageSize.height)
  }

  /// Converts a point in pixels of the whole image to fractions of a region.
  ///
  /// - Parameters:
  ///   - imagePoint: A point in pixels.
  ///   - imageSize: The size of the image in pixels.
  ///   - regionOfInterest: The region that the fractions refer to.
  public init(imagePoint: CGPoint, in imageSize: CGSize, normalizedTo regionOfInterest: NormalizedRect) {
    let point = NormalizedPoint(imagePoint: imagePoint, in: imageSize)
    self.init(
      x: (point.x - regionOfInterest.origin.x) / regionOfInterest.width,
      y: (point.y - regionOfInterest.origin.y) / regionOfInterest.height)
  }

  /// The lower left corner of an image.
  public static var zero: NormalizedPoint { NormalizedPoint(x: 0, y: 0) }

  /// The fraction from the left.
  public var x: CGFloat { cgPoint.x }
  /// The fraction from the bottom.
  public var y: CGFloat { cgPoint.y }

  /// The point in pixels.
  ///
  /// - Parameters:
  ///   - imageSize: The size of the image in pixels.
  ///   - origin: The origin of the pixel coordinates.
  public func toImageCoordinates(_ imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft) -> CGPoint {
    let point = origin == .lowerLeft ? self : verticallyFlipped()
    return CGPoint(x: point.x * imageSize.width, y: point.y * imageSize.height)
  }

  /// Converts a point in fractions of a region to pixels of the whole image.
  ///
  /// - Parameters:
  ///   - regionOfInterest: The region that the fractions refer to.
  ///   - imageSize: The size of the whole image in pixels.
  ///   - origin: The origin of the pixel coordinates.
  public func toImageCoordinates(
    from regionOfInterest: NormalizedRect, imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGPoint {
    NormalizedPoint(
      x: regionOfInterest.origin.x + x * regionOfInterest.width,
      y: regionOfInterest.origin.y + y * regionOfInterest.height
    ).toImageCoordinates(imageSize, origin: origin)
  }

  /// The point with its y coordinate measured from the opposite edge.
  public func verticallyFlipped() -> NormalizedPoint { NormalizedPoint(x: x, y: 1 - y) }

  /// Both fractions.
  public var description: String { "(\(x), \(y))" }

  /// Hashes both fractions.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(x)
    hasher.combine(y)
  }
}
