/// A rectangle of whole pixels.
struct PixelBounds: Equatable {
  var columns: Range<Int>
  var rows: Range<Int>

  func intersection(_ other: PixelBounds) -> PixelBounds {
    PixelBounds(columns: columns.clamped(to: other.columns), rows: rows.clamped(to: other.rows))
  }
}

/// The clip of a context: a rectangle of pixels with an optional coverage per pixel.
struct DrawingClip {
  private(set) var bounds: PixelBounds
  /// Coverage from 0 to 1 for each pixel of `bounds`, row by row; nil if all pixels are fully open.
  private var shares: [Float]?

  init(width: Int, height: Int) { bounds = PixelBounds(columns: 0..<width, rows: 0..<height) }

  /// The coverage of a pixel within `bounds`.
  func share(_ column: Int, _ row: Int) -> Float {
    guard let shares else { return 1 }
    return shares[(row - bounds.rows.lowerBound) * bounds.columns.count + column - bounds.columns.lowerBound]
  }

  /// Intersects the clip with the area of a scan.
  mutating func intersect(_ scan: CoverageScan) {
    // A rectangle of whole pixels needs no coverage per pixel.
    var (least, isWhole, pixels) = (nil as PixelBounds?, true, 0)
    scan.rows(in: bounds) { row, columns, shares in
      let found = PixelBounds(columns: columns, rows: row..<row + 1)
      least =
        least.map { least in
          PixelBounds(
            columns: min(
              least.columns.lowerBound, columns.lowerBound)..<max(least.columns.upperBound, columns.upperBound),
            rows: least.rows.lowerBound..<row + 1)
        } ?? found
      pixels += columns.count
      if isWhole { isWhole = columns.allSatisfy { shares[$0 - columns.lowerBound] == 1 } }
    }
    guard let least else {
      self = DrawingClip(width: 0, height: 0)
      return
    }
    if isWhole, pixels == least.columns.count * least.rows.count {
      crop(to: least)
      return
    }
    var made = [Float](repeating: 0, count: least.columns.count * least.rows.count)
    scan.rows(in: least) { row, columns, shares in
      let start = (row - least.rows.lowerBound) * least.columns.count - least.columns.lowerBound
      for column in columns { made[start + column] = shares[column - columns.lowerBound] * share(column, row) }
    }
    (bounds, shares) = (least, made)
  }

  /// Intersects the clip with a coverage function.
  mutating func intersect(_ share: (_ column: Int, _ row: Int) -> Float) {
    var made: [Float] = []
    made.reserveCapacity(bounds.columns.count * bounds.rows.count)
    for row in bounds.rows {
      for column in bounds.columns { made.append(share(column, row) * self.share(column, row)) }
    }
    shares = made
  }

  private mutating func crop(to part: PixelBounds) {
    if shares != nil {
      var made: [Float] = []
      for row in part.rows { for column in part.columns { made.append(share(column, row)) } }
      shares = made
    }
    bounds = part
  }
}
