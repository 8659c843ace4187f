import Foundation

/// How much of each pixel polygons cover, row by row: exact from left to right, in 16 steps from top to bottom.
struct CoverageScan {
  private struct Edge {
    let top: Double
    let bottom: Double
    /// Where the edge is at `top`, and how far it goes to the right for each row.
    let x: Double
    let slope: Double
    let winding: Int
  }

  private let edges: [Edge]
  private let rule: CGPathFillRule
  /// Lines that are looked at in each row.
  private let lines: Int
  private static let smoothLines = 16
  /// Places beyond are as far away as this.
  private static let limit = 1e9

  /// - Parameters:
  ///   - polygons: in rows and columns of memory; one that has a point which is no number is left away.
  ///   - isSmooth: whether pixels at edges count in part; else those count whose middle is inside.
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

  /// Calls `body` for each row of a rectangle that is touched, with the columns that may be, and what is covered of each pixel from the first of
  /// these columns on, from 0 to 1.
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

  /// Adds what a span of a line covers; gives the columns that it touches, counted from the first one.
  private func add(_ from: Double, _ to: Double, _ columns: Range<Int>, _ shares: inout [Float]) -> Range<Int>? {
    let width = Double(columns.count)
    let left = min(max(from - Double(columns.lowerBound), 0), width)
    let right = min(max(to - Double(columns.lowerBound), 0), width)
    if lines == 1 {
      // Pixels whose middle is inside.
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

  /// The share of a pixel; where rounding alone parts it from none or all, that.
  private func settled(_ sum: Float) -> Float {
    let share = sum / Float(lines)
    return share < 1 / 1024 ? 0 : share > 1 - 1 / 1024 ? 1 : share
  }
}
