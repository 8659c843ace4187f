import Foundation

extension CGMutablePath {
  /// Begins a subpath.
  public func move(to point: CGPoint, transform: CGAffineTransform = .identity) { add(.move(point), transform) }

  /// Adds a line from the current point.
  public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) {
    add(isEmpty ? .move(point) : .line(point), transform)
  }

  /// Adds connected lines, beginning at the first point.
  public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
    for (place, point) in points.enumerated() { add(place == 0 ? .move(point) : .line(point), transform) }
  }

  /// Adds a quadratic Bézier curve.
  public func addQuadCurve(to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity) {
    if isEmpty { add(.move(control), transform) }
    add(.quadratic(control, end), transform)
  }

  /// Adds a cubic Bézier curve.
  public func addCurve(
    to end: CGPoint, control1: CGPoint, control2: CGPoint, transform: CGAffineTransform = .identity
  ) {
    if isEmpty { add(.move(control1), transform) }
    add(.cubic(control1, control2, end), transform)
  }

  /// Closes the subpath with a line to its start.
  public func closeSubpath() {
    guard let last = elements.last, last != .close else { return }
    add(.close, .identity)
  }

  /// Adds a rectangle.
  public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
    let corners = [(rect.minX, rect.minY), (rect.maxX, rect.minY), (rect.maxX, rect.maxY), (rect.minX, rect.maxY)]
    addLines(between: corners.map { CGPoint(x: $0.0, y: $0.1) }, transform: transform)
    closeSubpath()
  }

  /// Adds rectangles.
  public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
    for rect in rects { addRect(rect, transform: transform) }
  }

  /// Adds an ellipse inscribed in a rectangle.
  public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
    let unit = CGAffineTransform(rect.width / 2, 0, 0, rect.height / 2, rect.midX, rect.midY)
    move(to: CGPoint(x: 1, y: 0), transform: unit.concatenating(transform))
    addTurn(from: 0, by: 2 * .pi, unit.concatenating(transform))
    closeSubpath()
  }

  /// Adds a rectangle with round corners. A corner takes at most half of a side.
  public func addRoundedRect(
    in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: CGAffineTransform = .identity
  ) {
    let wide = max(min(cornerWidth, rect.width / 2), 0)
    let high = max(min(cornerHeight, rect.height / 2), 0)
    move(to: CGPoint(x: rect.maxX, y: rect.midY), transform: transform)
    let centers = [
      (rect.maxX - wide, rect.maxY - high), (rect.minX + wide, rect.maxY - high),
      (rect.minX + wide, rect.minY + high), (rect.maxX - wide, rect.minY + high),
    ]
    for (corner, center) in centers.enumerated() {
      let unit = CGAffineTransform(wide, 0, 0, high, center.0, center.1).concatenating(transform)
      let angle = CGFloat(corner) * .pi / 2
      addLine(to: Self.point(at: angle), transform: unit)
      addTurn(from: angle, by: .pi / 2, unit)
    }
    closeSubpath()
  }

  /// Adds a circular arc, with a line from the current point to its start. Angles are in radians, from the x axis to
  /// the y axis.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
    transform: CGAffineTransform = .identity
  ) {
    let (whole, turn) = (2 * CGFloat.pi, clockwise ? startAngle - endAngle : endAngle - startAngle)
    guard turn.isFinite else { return }
    let part = turn < 0 ? whole + turn.truncatingRemainder(dividingBy: whole) : min(turn, whole)
    addRelativeArc(
      center: center, radius: radius, startAngle: startAngle, delta: clockwise ? -part : part, transform: transform)
  }

  /// Adds a circular arc with a relative angle, with a line from the current point to its start.
  public func addRelativeArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, delta: CGFloat, transform: CGAffineTransform = .identity
  ) {
    let unit = CGAffineTransform(radius, 0, 0, radius, center.x, center.y).concatenating(transform)
    guard startAngle.isFinite, delta.isFinite else { return }
    addLine(to: Self.point(at: startAngle), transform: unit)
    addTurn(from: startAngle, by: min(max(delta, -2 * .pi), 2 * .pi), unit)
  }

  /// Adds the elements of a path.
  public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) {
    for element in path.elements { add(element, transform) }
  }

  /// Adds an arc of the unit circle, with one curve per quarter or less.
  private func addTurn(from start: CGFloat, by angle: CGFloat, _ map: CGAffineTransform) {
    let count = max(Int((abs(angle) / (.pi / 2) - 1e-9).rounded(.up)), 1)
    let step = angle / CGFloat(count)
    // The tangent length for the closest cubic approximation of an arc.
    let reach = CGFloat(4.0 / 3.0 * tan(Double(step) / 4))
    for index in 0..<count {
      let from = Self.point(at: start + CGFloat(index) * step)
      let to = Self.point(at: start + CGFloat(index + 1) * step)
      addCurve(
        to: to, control1: CGPoint(x: from.x - reach * from.y, y: from.y + reach * from.x),
        control2: CGPoint(x: to.x + reach * to.y, y: to.y - reach * to.x), transform: map)
    }
  }

  private static func point(at angle: CGFloat) -> CGPoint {
    CGPoint(x: CGFloat(cos(Double(angle))), y: CGFloat(sin(Double(angle))))
  }
}
