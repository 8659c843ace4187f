import CoreMLImages
import Foundation

extension CGContext {
  /// Clips to the path, and clears it.
  public func clip(using rule: CGPathFillRule = .winding) {
    state.clip.intersect(areas(of: current, rule))
    beginPath()
  }

  /// Clips to a rectangle.
  public func clip(to rect: CGRect) { clip(to: [rect]) }

  /// Clips to the union of rectangles.
  public func clip(to rects: [CGRect]) {
    let path = CGMutablePath()
    path.addRects(rects, transform: state.map)
    state.clip.intersect(areas(of: path, .winding))
    beginPath()
  }

  /// Clips to a rectangle through an image: a mask is open where it is black, gray without alpha where it is white.
  /// With any other image nothing is drawn.
  public func clip(to rect: CGRect, mask: CGImage) {
    let unit = CGAffineTransform(rect.width, 0, 0, rect.height, rect.minX, rect.minY).concatenating(toMemory)
    guard mask.pixelBuffer.pixelFormatType == kCVPixelFormatType_OneComponent8,
      [unit.a, unit.b, unit.c, unit.d, unit.tx, unit.ty].allSatisfy(\.isFinite), unit.a * unit.d != unit.b * unit.c,
      let source = try? DrawnPicture(mask.pixelBuffer, across: unit, interpolationQuality)
    else {
      state.clip = DrawingClip(width: 0, height: 0)
      return
    }
    let back = unit.inverted()
    state.clip.intersect { column, row in
      let point = CGPoint(x: CGFloat(column) + 0.5, y: CGFloat(row) + 0.5).applying(back)
      guard (0..<1).contains(point.x), (0..<1).contains(point.y) else { return 0 }
      let share = source.colour(x: Float(point.x), y: Float(1 - point.y)).0 / 255
      return mask.isMask ? 1 - share : share
    }
  }

  /// Removes the clip.
  public func resetClip() { state.clip = DrawingClip(width: width, height: height) }

  /// The bounding box of the clip.
  public var boundingBoxOfClipPath: CGRect {
    let bounds = state.clip.bounds
    guard !bounds.columns.isEmpty, !bounds.rows.isEmpty else { return .null }
    return CGRect(
      x: bounds.columns.lowerBound, y: bounds.rows.lowerBound, width: bounds.columns.count, height: bounds.rows.count
    ).applying(toMemory.inverted())
  }
}
