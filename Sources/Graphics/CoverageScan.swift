import Foundation

/// The coverage of pixels by polygons, row by row: exact horizontally, with 16 scan lines per row vertically.
struct CoverageScan {
  private struct Edge {
    let top: Double
    let bottom: Double
    /// The x coordinate at `top`, and its change per row.
    let x: Double
    let slope: Double
    let winding: Int
  }

  private let edges: [Edge]
  private let rule: CGPathFillRule
  /// Scan lines per row.
  private let lines: Int
  private static let smoothLines = 16
  /// Coordinates are clamped to this magnitude.
  private static let limit = 1e9

  /// - Parameters:
  ///   - polygons: In rows and columns of memory. A polygon with an infinite or NaN coordinate is dropped.
  ///   - isSmooth: Whether pixels at edges count partially. Otherwise a pixel counts if its center is inside.
  init(_ polygons: [[CGPoint]], _ rule: CGPathFillRule, isSmooth: Bool) {
    var edges: [Edge] = []
    func limited(_ point: CGPoint) -> (x: Double, y: Double) {
      (min(max(Double(point.x), -Self.limit), Self.limit), min(max(Double(point.y), -Self.limit), Self.limit))
    }
    for polygon in polygons where polygon.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) {
      for (place, corner) in polygon.enumerated() {
        let (from, to) = (limited(corner), limited(polygon[(place + 1) % polygon.count]))
        guard from.y != to.y else { continue }
        let (upper, lower) = from.y < to.y ? (from, to) : (to, from)
        let slope = (lower.x - upper.x) / (lower.y - upper.y)
        edges.append(
          Edge(
            top: upper.y, bottom: lower.y, x: upper.x, slope: slope.isFinite ? slope : 0,
            winding: from.y < to.y ? 1 : -1))
      }
    }
    self.edges = edges.sorted { $0.top < $1.top }
    self.rule = rule
    lines = isSmooth ? Self.smoothLines : 1
  }

  /// Calls `body` for each touched row within `bounds`. It passes the range of columns that may be touched, and the
  /// coverage of each of these pixels, from 0 to 1.
  func rows(
    in bounds: PixelBounds, _ body: (_ row: Int, _ columns: Range<Int>, _ shares: UnsafePointer<Float>) -> Void
  ) {
    guard let first = edges.first, !bounds.columns.isEmpty else { return }
    func limited(_ y: Double) -> Int {
      Int(min(max(y, Double(bounds.rows.lowerBound)), Double(bounds.rows.upperBound)))
    }
    let bottom = edges.reduce(-Double.infinity) { max($0, $1.bottom) }
    var row = limited(first.top.rounded(.down))
    let end = limited(bottom.rounded(.up))
    var shares = [Float](repeating: 0, count: bounds.columns.count)
    var next = 0
    var active: [Edge] = []
    var crossings: [(x: Double, winding: Int)] = []
    while row < end {
      while next < edges.count, edges[next].top < Double(row + 1) {
        active.append(edges[next])
        next += 1
      }
      active.removeAll { $0.bottom <= Double(row) }
      var touched: Range<Int>?
      for line in 0..<lines {
        let y = Double(row) + (Double(line) + 0.5) / Double(lines)
        crossings.removeAll(keepingCapacity: true)
        for edge in active where edge.top <= y && y < edge.bottom {
          crossings.append((edge.x + (y - edge.top) * edge.slope, edge.winding))
        }
        crossings.sort { $0.x < $1.x }
        var winding = 0
        for place in crossings.indices.dropLast() {
          winding += crossings[place].winding
          guard rule == .evenOdd ? place % 2 == 0 : winding != 0 else { continue }
          let span = add(crossings[place].x, crossings[place + 1].x, bounds.columns, &shares)
          guard let span else { continue }
          touched = touched.map { min($0.lowerBound, span.lowerBound)..<max($0.upperBound, span.upperBound) } ?? span
        }
      }
      if let touched {
        shares.withUnsafeMutableBufferPointer { shares in
          guard let base = shares.baseAddress else { return }
          for column in touched { base[column] = settled(base[column]) }
          let columns = bounds.columns.lowerBound + touched.lowerBound..<bounds.columns.lowerBound + touched.upperBound
          body(row, columns, base + touched.lowerBound)
          for column in touched { base[column] = 0 }
        }
      }
      row += 1
    }
  }

  /// Adds the coverage of a span on a scan line. Returns the touched columns, relative to the first column.
  private func add(_ from: Double, _ to: Double, _ columns: Range<Int>, _ shares: inout [Float]) -> Range<Int>? {
    let width = Double(columns.count)
    let left = min(max(from - Double(columns.lowerBound), 0), width)
    let right = min(max(to - Double(columns.lowerBound), 0), width)
    if lines == 1 {
      // Pixels whose center is inside.
      let (first, end) = (Int((left - 0.5).rounded(.up)), Int((right - 0.5).rounded(.up)))
      guard max(first, 0) < end else { return nil }
      for column in max(first, 0)..<end { shares[column] = 1 }
      return max(first, 0)..<end
    }
    guard left < right else { return nil }
    let (first, last) = (Int(left), Int(right.rounded(.up)) - 1)
    if first == last {
      shares[first] += Float(right - left)
    } else {
      shares[first] += Float(Double(first + 1) - left)
      for column in first + 1..<last { shares[column] += 1 }
      shares[last] += Float(right - Double(last))
    }
    return first..<last + 1
  }

  /// The coverage of a pixel. Values within rounding error of 0 or 1 become 0 or 1.
  private func settled(_ sum: Float) -> Float {
    let share = sum / Float(lines)
    return share < 1 / 1024 ? 0 : share > 1 - 1 / 1024 ? 1 : share
  }
}
