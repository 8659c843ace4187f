import Foundation

/// How a path is drawn.
public enum CGPathDrawingMode: Int32, Sendable {
  /// Filled.
  case fill = 0
  /// Filled with the even-odd rule.
  case eoFill = 1
  /// Stroked.
  case stroke = 2
  /// Filled and stroked.
  case fillStroke = 3
  /// Filled with the even-odd rule, and stroked.
  case eoFillStroke = 4
}

extension CGContext {
  // MARK: lines

  /// Sets the line width.
  public func setLineWidth(_ width: CGFloat) { state.line.width = width }
  /// Sets the shape of line ends.
  public func setLineCap(_ cap: CGLineCap) { state.line.cap = cap }
  /// Sets the shape of line joins.
  public func setLineJoin(_ join: CGLineJoin) { state.line.join = join }
  /// Sets the maximum length of miters, in multiples of the line width.
  public func setMiterLimit(_ limit: CGFloat) { state.line.miterLimit = limit }
  /// Sets the lengths of dashes and gaps in turn, and the offset of the pattern. Empty lengths give solid lines.
  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    (state.line.phase, state.line.lengths) = (phase, lengths)
  }
  /// The tolerance of flattened curves. It has no effect: the error is never visible.
  public func setFlatness(_ flatness: CGFloat) {}

  // MARK: the path

  /// Clears the current path.
  public func beginPath() { current = CGMutablePath() }
  /// Begins a subpath.
  public func move(to point: CGPoint) { current.move(to: point, transform: state.map) }
  /// Adds a line from the current point.
  public func addLine(to point: CGPoint) { current.addLine(to: point, transform: state.map) }
  /// Adds connected lines, beginning at the first point.
  public func addLines(between points: [CGPoint]) { current.addLines(between: points, transform: state.map) }
  /// Adds a cubic Bézier curve.
  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
    current.addCurve(to: end, control1: control1, control2: control2, transform: state.map)
  }
  /// Adds a quadratic Bézier curve.
  public func addQuadCurve(to end: CGPoint, control: CGPoint) {
    current.addQuadCurve(to: end, control: control, transform: state.map)
  }
  /// Adds a circular arc, with a line from the current point to its start. Angles are in radians, from the x axis to
  /// the y axis.
  public func addArc(center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    current.addArc(
      center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise,
      transform: state.map)
  }
  /// Adds a rectangle.
  public func addRect(_ rect: CGRect) { current.addRect(rect, transform: state.map) }
  /// Adds rectangles.
  public func addRects(_ rects: [CGRect]) { current.addRects(rects, transform: state.map) }
  /// Adds an ellipse inscribed in a rectangle.
  public func addEllipse(in rect: CGRect) { current.addEllipse(in: rect, transform: state.map) }
  /// Adds the elements of a path.
  public func addPath(_ path: CGPath) { current.addPath(path, transform: state.map) }
  /// Closes the subpath with a line to its start.
  public func closePath() { current.closeSubpath() }

  /// Whether the current path is empty.
  public var isPathEmpty: Bool { current.isEmpty }
  /// The current path.
  public var path: CGPath? {
    isPathEmpty ? nil : CGPath(elements: current.elements.map { $0.applying(state.map.inverted()) })
  }
  /// The current point.
  public var currentPointOfPath: CGPoint { current.currentPoint.applying(state.map.inverted()) }
  /// The bounding box of all points of the path, including control points.
  public var boundingBoxOfPath: CGRect { path?.boundingBox ?? .null }
  /// Whether the mode would draw at a point.
  public func pathContains(_ point: CGPoint, mode: CGPathDrawingMode) -> Bool {
    let place = point.applying(state.map)
    let rule = mode == .eoFill || mode == .eoFillStroke ? CGPathFillRule.evenOdd : .winding
    if mode != .stroke, current.contains(place, using: rule) { return true }
    guard mode != .fill, mode != .eoFill else { return false }
    return CGPath(outlines: lineOutlines).contains(place)
  }

  /// Replaces the path with the outline of its stroke.
  public func replacePathWithStrokedPath() {
    let path = CGPath(outlines: lineOutlines)
    current = CGMutablePath()
    current.addPath(path)
  }

  // MARK: drawing

  /// Draws the path, and clears it.
  public func drawPath(using mode: CGPathDrawingMode) {
    if mode != .stroke {
      let rule = mode == .eoFill || mode == .eoFillStroke ? CGPathFillRule.evenOdd : .winding
      paint(areas(of: current, rule), channels(of: state.fill), inPlace: state.blend == .copy)
    }
    if mode != .fill, mode != .eoFill {
      let polygons = lineOutlines.map { $0.map { $0.applying(planeToMemory) } }
      paint(
        CoverageScan(polygons, .winding, isSmooth: state.isSmooth), channels(of: state.stroke),
        inPlace: state.blend == .copy)
    }
    beginPath()
  }

  /// Fills the path, and clears it.
  public func fillPath(using rule: CGPathFillRule = .winding) { drawPath(using: rule == .winding ? .fill : .eoFill) }

  /// Strokes the path, and clears it.
  public func strokePath() { drawPath(using: .stroke) }

  /// Strokes a separate line for each pair of points.
  public func strokeLineSegments(between points: [CGPoint]) {
    beginPath()
    for pair in stride(from: 0, to: points.count - 1, by: 2) { addLines(between: [points[pair], points[pair + 1]]) }
    strokePath()
  }

  /// Strokes a rectangle.
  public func stroke(_ rect: CGRect) {
    beginPath()
    addRect(rect)
    strokePath()
  }

  /// Strokes a rectangle with a line width.
  public func stroke(_ rect: CGRect, width: CGFloat) {
    let before = state.line.width
    state.line.width = width
    stroke(rect)
    state.line.width = before
  }

  /// Fills an ellipse inscribed in a rectangle.
  public func fillEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    fillPath()
  }

  /// Strokes an ellipse inscribed in a rectangle.
  public func strokeEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    strokePath()
  }

  // MARK: outlines

  /// The maximum distance of flattened lines from curves, in pixels.
  private static let tolerance: CGFloat = 0.02

  /// The area inside a path.
  func areas(of path: CGPath, _ rule: CGPathFillRule) -> CoverageScan {
    let flat = FlatPath(path.elements, tolerance: Self.tolerance).applying(planeToMemory)
    return CoverageScan(flat.subpaths.map(\.points), rule, isSmooth: state.isSmooth)
  }

  /// The outline of the path's stroke, in the base space. A transform that scales the axes differently also scales line
  /// widths differently.
  private var lineOutlines: [[CGPoint]] {
    let map = state.map
    guard map.a * map.d != map.b * map.c else { return [] }
    let flat = FlatPath(current.elements, tolerance: Self.tolerance).applying(map.inverted())
    let scale = max(map.a * map.a + map.b * map.b, map.c * map.c + map.d * map.d).squareRoot()
    return LineOutline(flat, state.line, scale: scale).polygons.map { $0.map { $0.applying(map) } }
  }
}
