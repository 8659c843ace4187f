import Foundation

/// A path whose curves are flattened to lines.
struct FlatPath {
  struct Subpath {
    var points: [CGPoint]
    var isClosed: Bool

    var elements: [CGPath.Element] {
      points.enumerated().map { $0 == 0 ? .move($1) : .line($1) } + (isClosed ? [.close] : [])
    }
  }

  private(set) var subpaths: [Subpath] = []

  /// - Parameter tolerance: The maximum distance of the lines from the curve.
  init(_ elements: [CGPath.Element], tolerance: CGFloat) {
    var start = CGPoint.zero
    var current: Subpath?
    func finish() {
      if let current, current.points.count > 1 || current.isClosed { subpaths.append(current) }
      current = nil
    }
    for element in elements {
      if case .move(let point) = element {
        finish()
        start = point
        current = Subpath(points: [point], isClosed: false)
        continue
      }
      if element == .close {
        current?.isClosed = true
        finish()
        continue
      }
      // After a closed subpath, the next one begins at the same start.
      var part = current ?? Subpath(points: [start], isClosed: false)
      let from = part.points[part.points.count - 1]
      switch element {
      case .line(let end): part.points.append(end)
      case .quadratic(let control, let end):
        let bend = Self.bend(from, control, end)
        part.points += Self.steps((bend / (4 * tolerance)).squareRoot()).map { t in
          Self.mixed(Self.mixed(from, control, t), Self.mixed(control, end, t), t)
        }
      case .cubic(let first, let second, let end):
        let bend = max(Self.bend(from, first, second), Self.bend(first, second, end))
        part.points += Self.steps((0.75 * bend / tolerance).squareRoot()).map { t in
          let (a, b, c) = (Self.mixed(from, first, t), Self.mixed(first, second, t), Self.mixed(second, end, t))
          return Self.mixed(Self.mixed(a, b, t), Self.mixed(b, c, t), t)
        }
      case .move, .close: break
      }
      current = part
    }
    finish()
  }

  private init(_ subpaths: [Subpath]) { self.subpaths = subpaths }

  /// The second difference of three control points, which is 0 for a uniform straight line.
  private static func bend(_ a: CGPoint, _ b: CGPoint, _ c: CGPoint) -> CGFloat {
    let (x, y) = (a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y)
    return (x * x + y * y).squareRoot()
  }

  private static func mixed(_ a: CGPoint, _ b: CGPoint, _ t: CGFloat) -> CGPoint {
    CGPoint(x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t)
  }

  /// The parameters at which a curve is split, from 0 (exclusive) to 1.
  private static func steps(_ wanted: CGFloat) -> [CGFloat] {
    // Overflow in very large coordinates gives NaN, which needs no steps.
    let count = wanted.isNaN ? 1 : Int(min(max(wanted.rounded(.up), 1), 512))
    return (1...count).map { CGFloat($0) / CGFloat(count) }
  }

  func applying(_ map: CGAffineTransform) -> FlatPath {
    FlatPath(subpaths.map { Subpath(points: $0.points.map { $0.applying(map) }, isClosed: $0.isClosed) })
  }

  /// Whether a point is inside: counts the crossings of a ray to the right, upwards and downwards.
  func contains(_ point: CGPoint, _ rule: CGPathFillRule) -> Bool {
    var winding = 0
    for part in subpaths {
      for (place, from) in part.points.enumerated() {
        let to = part.points[(place + 1) % part.points.count]
        guard (from.y <= point.y) != (to.y <= point.y) else { continue }
        let x = from.x + (point.y - from.y) / (to.y - from.y) * (to.x - from.x)
        if x > point.x { winding += to.y > from.y ? 1 : -1 }
      }
    }
    return rule == .evenOdd ? winding % 2 != 0 : winding != 0
  }

  /// With more dashes than this the line is solid: they would not be distinguishable.
  private static let mostDashes: CGFloat = 65536

  /// The path in dashes: lengths of dashes and gaps in turn. The whole path if the lengths are empty, negative or all
  /// 0.
  func dashed(phase: CGFloat, lengths: [CGFloat]) -> FlatPath {
    let pattern = lengths.count % 2 == 0 ? lengths : lengths + lengths
    let whole = pattern.reduce(0, +)
    guard whole > 0, whole.isFinite, phase.isFinite, pattern.allSatisfy({ $0 >= 0 }) else { return self }
    var result: [Subpath] = []
    for part in subpaths {
      let points = part.isClosed ? part.points + [part.points[0]] : part.points
      let length = zip(points, points.dropFirst()).reduce(0) { $0 + Self.distance($1.0, $1.1) }
      guard length / whole * CGFloat(pattern.count) < Self.mostDashes else {
        result.append(part)
        continue
      }
      var left = phase.truncatingRemainder(dividingBy: whole)
      if left < 0 { left += whole }
      var index = 0
      while left >= pattern[index], left > 0 {
        left -= pattern[index]
        index = (index + 1) % pattern.count
      }
      left = pattern[index] - left
      var dash = [points[0]]
      for (from, to) in zip(points, points.dropFirst()) {
        let distance = Self.distance(from, to)
        var done: CGFloat = 0
        while distance - done > left {
          done += left
          let place = Self.mixed(from, to, done / distance)
          if index % 2 == 0 { result.append(Subpath(points: dash + [place], isClosed: false)) }
          dash = [place]
          index = (index + 1) % pattern.count
          left = pattern[index]
        }
        left -= distance - done
        if index % 2 == 0 { dash.append(to) }
      }
      if index % 2 == 0, dash.count > 1 { result.append(Subpath(points: dash, isClosed: false)) }
    }
    return FlatPath(result)
  }

  static func distance(_ a: CGPoint, _ b: CGPoint) -> CGFloat {
    ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot()
  }
}
