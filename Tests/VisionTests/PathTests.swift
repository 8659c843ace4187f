import CoreGraphics
import Foundation
import Testing

/// Paths that are filled, stroked and used for clipping.
@Suite struct PathTests {
  private func context(_ width: Int, _ height: Int) throws -> CGContext {
    try #require(
      CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
  }

  /// The alpha of each pixel, starting at the top row.
  private func alpha(_ context: CGContext) throws -> [UInt8] {
    let data = try #require(context.data).assumingMemoryBound(to: UInt8.self)
    return (0..<context.width * context.height).map { data[$0 * 4 + 3] }
  }

  /// The covered area in pixels. Partially covered pixels count in part.
  private func area(_ context: CGContext) throws -> Double {
    try alpha(context).reduce(0) { $0 + Double($1) } / 255
  }

  @Test func pixelsAreCoveredInPart() throws {
    let context = try context(4, 4)
    context.fill(CGRect(x: 0.5, y: 0.25, width: 2, height: 1))
    // Half of each column, a quarter of the upper row and three quarters of the lower row.
    #expect(try alpha(context) == [0, 0, 0, 0, 0, 0, 0, 0, 32, 64, 32, 0, 96, 191, 96, 0])
    let sharp = try self.context(4, 4)
    sharp.setShouldAntialias(false)
    sharp.fill(CGRect(x: 0.25, y: 0.25, width: 2, height: 1))
    #expect(try alpha(sharp) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0])
  }

  @Test func circlesAndLinesCoverTheirAreas() throws {
    let circle = try context(120, 120)
    circle.fillEllipse(in: CGRect(x: 10, y: 10, width: 100, height: 100))
    #expect(abs(try area(circle) - .pi * 2500) < 8)
    let ring = try context(120, 120)
    ring.setLineWidth(10)
    ring.strokeEllipse(in: CGRect(x: 10, y: 10, width: 100, height: 100))
    #expect(abs(try area(ring) - .pi * (55 * 55 - 45 * 45)) < 5)
    let line = try context(200, 200)
    line.setLineWidth(7)
    line.move(to: CGPoint(x: 20, y: 20))
    line.addLine(to: CGPoint(x: 140, y: 180))
    line.strokePath()
    #expect(abs(try area(line) - 1400) < 2)
    // A transform that stretches one axis makes lines wider along it.
    let wide = try context(100, 20)
    wide.scaleBy(x: 5, y: 1)
    wide.setLineWidth(2)
    wide.move(to: CGPoint(x: 10, y: 0))
    wide.addLine(to: CGPoint(x: 10, y: 20))
    wide.strokePath()
    #expect(try area(wide) == 200)
  }

  @Test func linesEndAndMeet() throws {
    func corner(_ cap: CGLineCap, _ join: CGLineJoin, limit: CGFloat = 10) throws -> Double {
      let context = try context(100, 100)
      context.setLineWidth(10)
      context.setLineCap(cap)
      context.setLineJoin(join)
      context.setMiterLimit(limit)
      context.addLines(between: [CGPoint(x: 20, y: 20), CGPoint(x: 80, y: 20), CGPoint(x: 80, y: 80)])
      context.strokePath()
      return try area(context)
    }
    // Two lines of 60 x 10 that share a quarter of a square at the corner. Joins differ in the outer quarter.
    #expect(try corner(.butt, .miter) == 1200)
    #expect(abs(try corner(.butt, .bevel) - (1200 - 12.5)) < 0.1)
    #expect(abs(try corner(.butt, .miter, limit: 1.2) - (1200 - 12.5)) < 0.1)
    #expect(abs(try corner(.butt, .round) - (1200 - 25 + .pi * 25 / 4)) < 0.5)
    #expect(try corner(.square, .miter) == 1300)
    #expect(abs(try corner(.round, .miter) - (1200 + .pi * 25)) < 1)
    let dot = try context(20, 20)
    dot.setLineWidth(8)
    dot.setLineCap(.square)
    dot.addLines(between: [CGPoint(x: 10, y: 10), CGPoint(x: 10, y: 10)])
    dot.strokePath()
    #expect(try area(dot) == 64)
  }

  @Test func linesAreDashed() throws {
    func dashes(_ phase: CGFloat, _ lengths: [CGFloat]) throws -> [UInt8] {
      let context = try context(12, 1)
      context.setLineDash(phase: phase, lengths: lengths)
      context.addLines(between: [CGPoint(x: 0, y: 0.5), CGPoint(x: 12, y: 0.5)])
      context.strokePath()
      return try alpha(context).map { $0 / 255 }
    }
    #expect(try dashes(0, [2, 1]) == [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0])
    #expect(try dashes(1, [2, 1]) == [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1])
    #expect(try dashes(-1, [2, 1]) == [0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1])
    #expect(try dashes(0, [3]) == [1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0])
    for lengths in [[], [0, 0], [-1, 2], [.nan], [1e-9, 1e-9]] as [[CGFloat]] {
      #expect(try dashes(0, lengths) == Array(repeating: 1, count: 12), "\(lengths)")
    }
  }

  @Test func pathsThatCrossThemselvesHaveTwoInsides() throws {
    let path = CGMutablePath()
    path.addRect(CGRect(x: 0, y: 0, width: 6, height: 6))
    path.addRect(CGRect(x: 2, y: 2, width: 2, height: 2))
    for (rule, expected) in [(CGPathFillRule.winding, 36.0), (.evenOdd, 32)] {
      let context = try context(6, 6)
      context.addPath(path)
      context.fillPath(using: rule)
      #expect(try area(context) == expected && context.isPathEmpty)
      #expect(path.contains(CGPoint(x: 3, y: 3), using: rule) == (rule == .winding))
    }
    #expect(path.contains(CGPoint(x: 1, y: 1)) && !path.contains(CGPoint(x: 7, y: 1)))
    #expect(path.boundingBox == CGRect(x: 0, y: 0, width: 6, height: 6) && CGMutablePath().boundingBox == .null)
    #expect(path == path.copy() && path.mutableCopy()?.hashValue == path.hashValue && path != CGMutablePath())
    let curve = CGMutablePath()
    curve.move(to: .zero)
    curve.addQuadCurve(to: CGPoint(x: 4, y: 0), control: CGPoint(x: 2, y: 4))
    #expect(curve.boundingBox.height == 4 && abs(curve.boundingBoxOfPath.height - 2) < 0.01)
    #expect(curve.currentPoint == CGPoint(x: 4, y: 0))
    let line = CGMutablePath()
    line.addLines(between: [CGPoint(x: 0, y: 0), CGPoint(x: 10, y: 0)])
    let wide = line.copy(strokingWithWidth: 2, lineCap: .square, lineJoin: .miter, miterLimit: 10)
    #expect(wide.boundingBox == CGRect(x: -1, y: -1, width: 12, height: 2))
    #expect(line.copy(dashingWithPhase: 0, lengths: [4, 4]).boundingBox == CGRect(x: 0, y: 0, width: 10, height: 0))
  }

  @Test func arcsGoTheWayThatIsSaid() throws {
    func sector(clockwise: Bool) throws -> Double {
      let context = try context(40, 40)
      context.move(to: CGPoint(x: 20, y: 20))
      context.addArc(
        center: CGPoint(x: 20, y: 20), radius: 20, startAngle: 0, endAngle: .pi / 2, clockwise: clockwise)
      context.closePath()
      context.fillPath()
      // The upper right quarter.
      let inside = try alpha(context)[5 * 40 + 30]
      #expect((inside == 255) == !clockwise)
      return try area(context)
    }
    #expect(abs(try sector(clockwise: false) - .pi * 100) < 1)
    #expect(abs(try sector(clockwise: true) - .pi * 300) < 2)
  }

  @Test func whatIsClippedIsNotDrawn() throws {
    let context = try context(10, 10)
    context.saveGState()
    context.clip(to: CGRect(x: 2, y: 3, width: 5, height: 4))
    #expect(context.boundingBoxOfClipPath == CGRect(x: 2, y: 3, width: 5, height: 4))
    context.addEllipse(in: CGRect(x: 0, y: 0, width: 10, height: 10))
    context.clip()
    context.fill(CGRect(x: 0, y: 0, width: 4.5, height: 10))
    #expect(abs(try area(context) - 10) < 0.02)
    context.clip(to: CGRect(x: 8, y: 8, width: 1, height: 1))
    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
    #expect(abs(try area(context) - 10) < 0.02 && context.boundingBoxOfClipPath == .null)
    context.restoreGState()
    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
    #expect(try area(context) == 100)
  }

  @Test func masksSayWhereIsPainted() throws {
    func mask(_ bits: Int, _ bytes: [UInt8], _ row: Int, decode: [CGFloat]? = nil) throws -> CGImage? {
      let provider = try #require(CGDataProvider(data: Data(bytes) as CFData))
      return CGImage(
        maskWidth: 2, height: 2, bitsPerComponent: bits, bitsPerPixel: bits, bytesPerRow: row, provider: provider,
        decode: decode, shouldInterpolate: false)
    }
    let made = try #require(try mask(8, [0, 255, 255, 51], 2))
    #expect(made.isMask && made.colorSpace == nil && made.width == 2)
    let context = try context(2, 2)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.draw(made, in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(try alpha(context) == [255, 0, 0, 204])
    let clipped = try self.context(2, 2)
    clipped.clip(to: CGRect(x: 0, y: 0, width: 2, height: 2), mask: made)
    clipped.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(try alpha(clipped) == [255, 0, 0, 204])
    let whole = try self.context(2, 2)
    whole.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
    let parts = try #require(whole.makeImage()?.masking(made)?.dataProvider?.data as Data?)
    #expect([3, 7, 11, 15].map { parts[$0] } == [255, 0, 0, 204])
    // One-bit samples, inverted samples, and invalid masks.
    let bits = try #require(try mask(1, [0b0100_0000, 0b1000_0000], 1, decode: [1, 0]))
    #expect(bits.pixelBuffer.withUnsafeBytes { Array($0) } == [255, 0, 0, 255])
    let none = try [
      mask(8, [0, 0, 0], 2), mask(16, [0, 0, 0, 0, 0, 0, 0, 0], 4), mask(8, [0, 0, 0, 0], 1), mask(8, [0], .max),
      mask(8, [0, 0, 0, 0], 2, decode: [.nan, 1]),
    ]
    #expect(none.allSatisfy { $0 == nil })
  }

  @Test func alphaOfTheContextCounts() throws {
    let context = try context(2, 1)
    context.setAlpha(0.5)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.setStrokeColor(gray: 0, alpha: 0.5)
    context.setLineWidth(2)
    context.addLines(between: [CGPoint(x: 1, y: 0.5), CGPoint(x: 2, y: 0.5)])
    context.strokePath()
    #expect(try alpha(context) == [128, 64])
  }

  @Test(arguments: [CGFloat.nan, .infinity, -.infinity, 1e300, -1e18, .leastNonzeroMagnitude])
  func numbersOutOfBoundsEndNothing(number: CGFloat) throws {
    let context = try context(8, 8)
    context.setLineWidth(number)
    context.setMiterLimit(number)
    context.setLineDash(phase: number, lengths: [number, 1])
    context.setAlpha(number)
    context.addLines(between: [CGPoint(x: number, y: 1), CGPoint(x: 3, y: number), CGPoint(x: 5, y: 5)])
    context.addArc(
      center: CGPoint(x: 4, y: number), radius: number, startAngle: number, endAngle: 1, clockwise: false)
    context.addQuadCurve(to: CGPoint(x: 2, y: 2), control: CGPoint(x: number, y: number))
    context.drawPath(using: .fillStroke)
    context.clip(to: CGRect(x: 0, y: 0, width: number, height: 4))
    context.rotate(by: number)
    context.stroke(CGRect(x: 0, y: 0, width: 2, height: number), width: 2)
    #expect(context.isPathEmpty)
  }
}
