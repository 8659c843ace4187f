import Foundation

/// The shape of line ends.
public enum CGLineCap: Int32, Sendable {
  /// Ends exactly at the end point.
  case butt = 0
  /// A half circle around the end point.
  case round = 1
  /// Extends by half of the line width beyond the end point.
  case square = 2
}

/// The shape of line joins.
public enum CGLineJoin: Int32, Sendable {
  /// A pointed corner, or `bevel` if the point exceeds the miter limit.
  case miter = 0
  /// A circle around the corner.
  case round = 1
  /// A cut-off corner.
  case bevel = 2
}

/// The parameters of stroked lines.
struct LineStyle {
  var width: CGFloat = 1
  var cap = CGLineCap.butt
  var join = CGLineJoin.miter
  var miterLimit: CGFloat = 10
  var phase: CGFloat = 0
  var lengths: [CGFloat] = []
}

/// The outline of a stroke: overlapping convex polygons with the same orientation.
struct LineOutline {
  private(set) var polygons: [[CGPoint]] = []
  private let half: CGFloat
  private let style: LineStyle
  /// The vertices of a unit circle.
  private let circle: [CGPoint]

  /// - Parameter scale: Pixels per unit of length.
  init(_ path: FlatPath, _ style: LineStyle, scale: CGFloat) {
    self.style = style
    half = style.width / 2
    let radius = half * scale
    let corners = radius > 0 && radius.isFinite ? Int(min(max(radius.squareRoot() * 14, 8), 256)) : 8
    circle = (0..<corners).map { corner in
      let angle = 2 * Double.pi * Double(corner) / Double(corners)
      return CGPoint(x: CGFloat(cos(angle)), y: CGFloat(sin(angle)))
    }
    guard half > 0, half.isFinite else { return }
    let lines = style.lengths.isEmpty ? path : path.dashed(phase: style.phase, lengths: style.lengths)
    for part in lines.subpaths { add(part) }
  }

  private mutating func add(_ part: FlatPath.Subpath) {
    var points: [CGPoint] = []
    for point in part.points where points.last != point { points.append(point) }
    if part.isClosed, points.count > 1, points.first == points.last { points.removeLast() }
    guard points.count > 1 else {
      if let point = points.first { addDot(point) }
      return
    }
    let count = points.count
    let isClosed = part.isClosed && count > 2
    let steps = isClosed ? count : count - 1
    let ways = (0..<steps).map { step -> CGPoint in
      let (from, to) = (points[step], points[(step + 1) % count])
      let length = FlatPath.distance(from, to)
      return CGPoint(x: (to.x - from.x) / length, y: (to.y - from.y) / length)
    }
    for step in 0..<steps {
      let way = ways[step]
      var (from, to) = (points[step], points[(step + 1) % count])
      if !isClosed, style.cap == .square {
        if step == 0 { from = moved(from, way, -half) }
        if step == steps - 1 { to = moved(to, way, half) }
      }
      let side = CGPoint(x: -way.y, y: way.x)
      append([moved(from, side, half), moved(from, side, -half), moved(to, side, -half), moved(to, side, half)])
      if isClosed || step > 0 { addJoin(points[step], ways[(step + steps - 1) % steps], way) }
    }
    if !isClosed, style.cap == .round {
      addCircle(points[0])
      addCircle(points[count - 1])
    }
  }

  /// The caps of a line without length.
  private mutating func addDot(_ point: CGPoint) {
    switch style.cap {
    case .butt: break
    case .round: addCircle(point)
    case .square:
      append(
        [(-half, -half), (half, -half), (half, half), (-half, half)].map {
          CGPoint(x: point.x + $0.0, y: point.y + $0.1)
        })
    }
  }

  private mutating func addCircle(_ center: CGPoint) { append(circle.map { moved(center, $0, half) }) }

  /// Fills the corner between two lines.
  private mutating func addJoin(_ corner: CGPoint, _ before: CGPoint, _ after: CGPoint) {
    let turn = before.x * after.y - before.y * after.x
    let along = before.x * after.x + before.y * after.y
    guard abs(turn) > 1e-9 || along < 0 else { return }
    if style.join == .round { return addCircle(corner) }
    // For lines that turn left, the outer side is on the right.
    let side: CGFloat = turn > 0 ? -half : half
    let (first, second) = (CGPoint(x: -before.y, y: before.x), CGPoint(x: -after.y, y: after.x))
    var polygon = [corner, moved(corner, first, side), moved(corner, second, side)]
    // The distance of the miter tip from the corner, divided by half of the width, is 1 / cos(turn / 2).
    let cosine = max((1 + along) / 2, 0).squareRoot()
    if style.join == .miter, cosine * style.miterLimit >= 1 {
      let middle = CGPoint(x: first.x + second.x, y: first.y + second.y)
      let tip = moved(corner, middle, side / (2 * cosine * cosine))
      polygon.insert(tip, at: 2)
    }
    append(polygon)
  }

  private func moved(_ point: CGPoint, _ way: CGPoint, _ distance: CGFloat) -> CGPoint {
    CGPoint(x: point.x + way.x * distance, y: point.y + way.y * distance)
  }

  /// Adds a polygon in counterclockwise orientation.
  private mutating func append(_ polygon: [CGPoint]) {
    let area = polygon.indices.reduce(CGFloat(0)) { sum, place in
      let (a, b) = (polygon[place], polygon[(place + 1) % polygon.count])
      return sum + a.x * b.y - b.x * a.y
    }
    polygons.append(area < 0 ? polygon.reversed() : polygon)
  }
}
