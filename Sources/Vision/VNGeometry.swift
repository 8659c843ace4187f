// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation

/// The whole image, in fractions.
public let VNNormalizedIdentityRect = CGRect(x: 0, y: 0, width: 1, height: 1)

/// Whether a rectangle in fractions is the whole image.
public func VNNormalizedRectIsIdentityRect(_ normalizedRect: CGRect) -> Bool {
  normalizedRect == VNNormalizedIdentityRect
}

/// Converts a point in fractions to pixels.
public func VNImagePointForNormalizedPoint(
  _ normalizedPoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int
) -> CGPoint {
  CGPoint(x: normalizedPoint.x * CGFloat(imageWidth), y: normalizedPoint.y * CGFloat(imageHeight))
}

/// Converts a point in pixels to fractions.
public func VNNormalizedPointForImagePoint(_ imagePoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int) -> CGPoint {
  CGPoint(x: imagePoint.x / CGFloat(imageWidth), y: imagePoint.y / CGFloat(imageHeight))
}

/// Converts a rectangle in fractions to pixels. The origin remains the lower left corner.
public func VNImageRectForNormalizedRect(_ normalizedRect: CGRect, _ imageWidth: Int, _ imageHeight: Int) -> CGRect {
  let (wide, high) = (CGFloat(imageWidth), CGFloat(imageHeight))
  return CGRect(
    x: normalizedRect.origin.x * wide, y: normalizedRect.origin.y * high, width: normalizedRect.size.width * wide,
    height: normalizedRect.size.height * high)
}

/// Converts a rectangle in pixels to fractions.
public func VNNormalizedRectForImageRect(_ imageRect: CGRect, _ imageWidth: Int, _ imageHeight: Int) -> CGRect {
  let (wide, high) = (CGFloat(imageWidth), CGFloat(imageHeight))
  return CGRect(
    x: imageRect.origin.x / wide, y: imageRect.origin.y / high, width: imageRect.size.width / wide,
    height: imageRect.size.height / high)
}

/// Converts a rectangle in fractions of a region of interest to pixels. Bounding boxes of a request with a region are
/// such rectangles.
public func VNImageRectForNormalizedRectUsingRegionOfInterest(
  _ normalizedRect: CGRect, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGRect {
  VNImageRectForNormalizedRect(
    CGRect(
      x: roi.origin.x + normalizedRect.origin.x * roi.size.width,
      y: roi.origin.y + normalizedRect.origin.y * roi.size.height,
      width: normalizedRect.size.width * roi.size.width, height: normalizedRect.size.height * roi.size.height),
    imageWidth, imageHeight)
}
