import CoreMLImages
import Foundation

extension CGContext {
  /// Draws from now on only inside the path, which then is gone.
  public func clip(using rule: CGPathFillRule = .winding) {
    state.clip.intersect(areas(of: current, rule))
    beginPath()
  }

  /// Draws from now on only inside a rectangle.
  public func clip(to rect: CGRect) { clip(to: [rect]) }

  /// Draws from now on only inside rectangles.
  public func clip(to rects: [CGRect]) {
    let path = CGMutablePath()
    path.addRects(rects, transform: state.map)
    state.clip.intersect(areas(of: path, .winding))
    beginPath()
  }

  /// Draws from now on only inside a rectangle, and there what a picture lets through: a mask where it is black, gray without alpha where it is
  /// white. Nothing is drawn where the picture is neither.
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

  /// Draws everywhere again.
  public func resetClip() { state.clip = DrawingClip(width: width, height: height) }

  /// The smallest rectangle around what is drawn to.
  public var boundingBoxOfClipPath: CGRect {
    let bounds = state.clip.bounds
    guard !bounds.columns.isEmpty, !bounds.rows.isEmpty else { return .null }
    return CGRect(
      x: bounds.columns.lowerBound, y: bounds.rows.lowerBound, width: bounds.columns.count, height: bounds.rows.count
    ).applying(toMemory.inverted())
  }
}
