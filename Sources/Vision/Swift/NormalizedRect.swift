import Foundation

/// A rectangle in fractions of an image. Its origin is its lower left corner.
///
/// Fractions outside 0 to 1 are allowed. A request whose region of interest exceeds the image throws
/// `VisionError.invalidArgument`.
public struct NormalizedRect: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The fractions.
  public let cgRect: CGRect

  /// Creates a rectangle from four fractions. `x` and `y` are its lower left corner.
  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {
    cgRect = CGRect(x: x, y: y, width: width, height: height)
  }

  /// Creates a rectangle from four fractions.
  public init(normalizedRect: CGRect) { cgRect = normalizedRect }

  /// Converts a rectangle in pixels to fractions. Both origins are the lower left corner.
  ///
  /// - Parameters:
  ///   - imageRect: A rectangle in pixels.
  ///   - imageSize: The size of the image in pixels.
  public init(imageRect: CGRect, in imageSize: CGSize) {
    self.init(
      x: imageRect.origin.x / imageSize.width, y: imageRect.origin.y / imageSize.height,
      width: imageRect.size.width / imageSize.width, height: imageRect.size.height / imageSize.height)
  }

  /// Converts a rectangle in pixels of the whole image to fractions of a region.
  ///
  /// - Parameters:
  ///   - imageRect: A rectangle in pixels.
  ///   - imageSize: The size of the image in pixels.
  ///   - regionOfInterest: The region that the fractions refer to.
  public init(imageRect: CGRect, in imageSize: CGSize, normalizedTo regionOfInterest: NormalizedRect) {
    let corner = NormalizedPoint(imagePoint: imageRect.origin, in: imageSize, normalizedTo: regionOfInterest)
    let whole = NormalizedRect(imageRect: imageRect, in: imageSize)
    self.init(
      x: corner.x, y: corner.y, width: whole.width / regionOfInterest.width,
      height: whole.height / regionOfInterest.height)
  }

  /// The whole image.
  public static var fullImage: NormalizedRect { NormalizedRect(x: 0, y: 0, width: 1, height: 1) }

  /// The lower left corner.
  public var origin: CGPoint { cgRect.origin }
  /// The fraction of the image's width.
  public var width: CGFloat { cgRect.size.width }
  /// The fraction of the image's height.
  public var height: CGFloat { cgRect.size.height }

  /// The rectangle in pixels.
  ///
  /// - Parameters:
  ///   - imageSize: The size of the image in pixels.
  ///   - origin: The origin of the pixel coordinates. The result's origin is the corresponding corner of the rectangle.
  public func toImageCoordinates(_ imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft) -> CGRect {
    let rectangle = origin == .lowerLeft ? self : verticallyFlipped()
    return CGRect(
      x: rectangle.origin.x * imageSize.width, y: rectangle.origin.y * imageSize.height,
      width: width * imageSize.width, height: height * imageSize.height)
  }

  /// Converts a rectangle in fractions of a region to pixels of the whole image.
  ///
  /// - Parameters:
  ///   - regionOfInterest: The region that the fractions refer to.
  ///   - imageSize: The size of the whole image in pixels.
  ///   - origin: The origin of the pixel coordinates.
  public func toImageCoordinates(
    from regionOfInterest: NormalizedRect, imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGRect {
    NormalizedRect(
      x: regionOfInterest.origin.x + self.origin.x * regionOfInterest.width,
      y: regionOfInterest.origin.y + self.origin.y * regionOfInterest.height,
      width: width * regionOfInterest.width, height: height * regionOfInterest.height
    ).toImageCoordinates(imageSize, origin: origin)
  }

  /// The rectangle with its y coordinate measured from the opposite edge.
  public func verticallyFlipped() -> NormalizedRect {
    NormalizedRect(x: origin.x, y: 1 - origin.y - height, width: width, height: height)
  }

  /// The corner and the size.
  public var description: String { "(\(origin.x), \(origin.y), \(width), \(height))" }

  /// Hashes the four fractions.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(cgRect.origin.x)
    hasher.combine(cgRect.origin.y)
    hasher.combine(cgRect.size.width)
    hasher.combine(cgRect.size.height)
  }
}

/// A type with a bounding box.
public protocol BoundingBoxProviding {
  /// The box, in fractions with the origin at the lower left corner.
  var boundingBox: NormalizedRect { get }
}
