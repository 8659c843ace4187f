import Foundation

/// What becomes of a path.
public enum CGPathDrawingMode: Int32, Sendable {
  /// It is filled.
  case fill = 0
  /// It is filled, by the rule `evenOdd`.
  case eoFill = 1
  /// A line is drawn along it.
  case stroke = 2
  /// It is filled, and a line is drawn along it.
  case fillStroke = 3
  /// It is filled by the rule `evenOdd`, and a line is drawn along it.
  case eoFillStroke = 4
}

extension CGContext {
  // MARK: lines

  /// How wide lines are.
  public func setLineWidth(_ width: CGFloat) { state.line.width = width }
  /// How lines end.
  public func setLineCap(_ cap: CGLineCap) { state.line.cap = cap }
  /// How lines meet.
  public func setLineJoin(_ join: CGLineJoin) { state.line.join = join }
  /// How long the points of corners may be, in widths of the line.
  public func setMiterLimit(_ limit: CGFloat) { state.line.miterLimit = limit }
  /// The lengths of dashes and of the room behind them in turn, and where in them lines begin; no lengths for solid lines.
  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    (state.line.phase, state.line.lengths) = (phase, lengths)
  }
  /// How far lines may be from curves. They are never far enough to be seen.
  public func setFlatness(_ flatness: CGFloat) {}

  // MARK: the path

  /// Forgets the path that is being made.
  public func beginPath() { current = CGMutablePath() }
  /// Begins a part of the path.
  public func move(to point: CGPoint) { current.move(to: point, transform: state.map) }
  /// A line from where the path is.
  public func addLine(to point: CGPoint) { current.addLine(to: point, transform: state.map) }
  /// Lines from the first point on.
  public func addLines(between points: [CGPoint]) { current.addLines(between: points, transform: state.map) }
  /// A curve with two control points.
  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
    current.addCurve(to: end, control1: control1, control2: control2, transform: state.map)
  }
  /// A curve with one control point.
  public func addQuadCurve(to end: CGPoint, control: CGPoint) {
    current.addQuadCurve(to: end, control: control, transform: state.map)
  }
  /// A part of a circle, and a line to its beginning from where the path is. Angles are in radians from the axis of x to that of y.
  public func addArc(center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    current.addArc(
      center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise,
      transform: state.map)
  }
  /// A rectangle.
  public func addRect(_ rect: CGRect) { current.addRect(rect, transform: state.map) }
  /// Rectangles.
  public func addRects(_ rects: [CGRect]) { current.addRects(rects, transform: state.map) }
  /// An ellipse that fills a rectangle.
  public func addEllipse(in rect: CGRect) { current.addEllipse(in: rect, transform: state.map) }
  /// A path's elements.
  public func addPath(_ path: CGPath) { current.addPath(path, transform: state.map) }
  /// Goes back to where the last part of the path began.
  public func closePath() { current.closeSubpath() }

  /// Whether there is no path.
  public var isPathEmpty: Bool { current.isEmpty }
  /// The path that is being made.
  public var path: CGPath? {
    isPathEmpty ? nil : CGPath(elements: current.elements.map { $0.applying(state.map.inverted()) })
  }
  /// Where the path is.
  public var currentPointOfPath: CGPoint { current.currentPoint.applying(state.map.inverted()) }
  /// The smallest rectangle around all points of the path.
  public var boundingBoxOfPath: CGRect { path?.boundingBox ?? .null }
  /// Whether a point lies where the mode would draw.
  public func pathContains(_ point: CGPoint, mode: CGPathDrawingMode) -> Bool {
    let place = point.applying(state.map)
    let rule = mode == .eoFill || mode == .eoFillStroke ? CGPathFillRule.evenOdd : .winding
    if mode != .stroke, current.contains(place, using: rule) { return true }
    guard mode != .fill, mode != .eoFill else { return false }
    return CGPath(outlines: lineOutlines).contains(place)
  }

  /// Puts what a line along the path covers in the path's place.
  public func replacePathWithStrokedPath() {
    let path = CGPath(outlines: lineOutlines)
    current = CGMutablePath()
    current.addPath(path)
  }

  // MARK: drawing

  /// Draws the path, which then is gone.
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

  /// Fills the path, which then is gone.
  public func fillPath(using rule: CGPathFillRule = .winding) { drawPath(using: rule == .winding ? .fill : .eoFill) }

  /// Draws a line along the path, which then is gone.
  public func strokePath() { drawPath(using: .stroke) }

  /// Draws lines between each two points.
  public func strokeLineSegments(between points: [CGPoint]) {
    beginPath()
    for pair in stride(from: 0, to: points.count - 1, by: 2) { addLines(between: [points[pair], points[pair + 1]]) }
    strokePath()
  }

  /// Draws a line along a rectangle.
  public func stroke(_ rect: CGRect) {
    beginPath()
    addRect(rect)
    strokePath()
  }

  /// Draws a line of a width along a rectangle.
  public func stroke(_ rect: CGRect, width: CGFloat) {
    let before = state.line.width
    state.line.width = width
    stroke(rect)
    state.line.width = before
  }

  /// Fills an ellipse that fills a rectangle.
  public func fillEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    fillPath()
  }

  /// Draws a line along an ellipse that fills a rectangle.
  public func strokeEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    strokePath()
  }

  // MARK: outlines

  /// How far lines may be from curves, in pixels.
  private static let tolerance: CGFloat = 0.02

  /// What a path surrounds.
  func areas(of path: CGPath, _ rule: CGPathFillRule) -> CoverageScan {
    let flat = FlatPath(path.elements, tolerance: Self.tolerance).applying(planeToMemory)
    return CoverageScan(flat.subpaths.map(\.points), rule, isSmooth: state.isSmooth)
  }

  /// What a line along the path covers, in the plane. A map that stretches one axis alone makes lines wider there.
  private var lineOutlines: [[CGPoint]] {
    let map = state.map
    guard map.a * map.d != map.b * map.c else { return [] }
    let flat = FlatPath(current.elements, tolerance: Self.tolerance).applying(map.inverted())
    let scale = max(map.a * map.a + map.b * map.b, map.c * map.c + map.d * map.d).squareRoot()
    return LineOutline(flat, state.line, scale: scale).polygons.map { $0.map { $0.applying(map) } }
  }
}
