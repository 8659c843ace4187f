import CoreMLImages
import Foundation

extension CGContext {
  /// Draws an image upright, stretched to a rectangle. Floating-point gray has no white point, so such images are not
  /// drawn.
  public func draw(_ image: CGImage, in rect: CGRect) {
    // From the unit square, whose origin is the image's lower left corner, to rows of memory.
    let unit = CGAffineTransform(rect.width, 0, 0, rect.height, rect.minX, rect.minY).concatenating(state.map)
      .concatenating(CGAffineTransform(1, 0, 0, -1, 0, CGFloat(height)))
    guard [unit.a, unit.b, unit.c, unit.d, unit.tx, unit.ty].allSatisfy(\.isFinite), unit.a * unit.d != unit.b * unit.c,
      let source = try? DrawnPicture(image.pixelBuffer, across: unit, interpolationQuality)
    else { return }
    let back = unit.inverted()
    let (inPlace, alpha) = (state.blend == .copy, Float(state.alpha))
    let paint = image.isMask ? channels(of: state.fill) : nil
    each(CGRect(x: 0, y: 0, width: 1, height: 1).applying(unit)) { place, column, row in
      let point = place.applying(back)
      guard (0..<1).contains(point.x), (0..<1).contains(point.y) else { return }
      let colour = source.colour(x: Float(point.x), y: Float(1 - point.y))
      if let paint {
        put(paint, column, row, inPlace: inPlace, share: 1 - colour.0 / 255)
      } else {
        put((colour.0 * alpha, colour.1 * alpha, colour.2 * alpha, colour.3 * alpha), column, row, inPlace: inPlace)
      }
    }
  }

  /// Red, green, blue and alpha from 0 to 255, premultiplied, including the alpha of the context.
  func channels(of colour: CGColor) -> (Float, Float, Float, Float) {
    let (red, green, blue, alpha) = colour.channels
    // This order of arguments maps NaN to 0.
    func share(_ channel: CGFloat) -> Float {
      Float(min(max(0, channel), 1) * min(max(0, alpha), 1) * state.alpha * 255)
    }
    return (share(red), share(green), share(blue), share(1))
  }

  /// Fills a rectangle with the fill color.
  public func fill(_ rect: CGRect) { cover(rect, channels(of: state.fill), inPlace: state.blend == .copy) }

  /// Fills rectangles with the fill color.
  public func fill(_ rects: [CGRect]) { for rect in rects { fill(rect) } }

  /// Sets a rectangle to transparent black.
  public func clear(_ rect: CGRect) { cover(rect, (0, 0, 0, 0), inPlace: true) }

  private func cover(_ rect: CGRect, _ colour: (Float, Float, Float, Float), inPlace: Bool) {
    let corners = [(rect.minX, rect.minY), (rect.maxX, rect.minY), (rect.maxX, rect.maxY), (rect.minX, rect.maxY)]
    let polygon = corners.map { CGPoint(x: $0.0, y: $0.1).applying(toMemory) }
    paint(CoverageScan([polygon], .winding, isSmooth: state.isSmooth), colour, inPlace: inPlace)
  }

  /// From user space to rows and columns of memory.
  var toMemory: CGAffineTransform { state.map.concatenating(planeToMemory) }
  var planeToMemory: CGAffineTransform { CGAffineTransform(1, 0, 0, -1, 0, CGFloat(height)) }

  /// Paints the area of a scan.
  func paint(_ scan: CoverageScan, _ colour: (Float, Float, Float, Float), inPlace: Bool) {
    scan.rows(in: state.clip.bounds) { row, columns, shares in
      for column in columns {
        let share = shares[column - columns.lowerBound]
        if share > 0 { put(colour, column, row, inPlace: inPlace, share: share) }
      }
    }
  }

  private func put(
    _ colour: (Float, Float, Float, Float), _ column: Int, _ row: Int, inPlace: Bool, share: Float = 1
  ) {
    guard let data else { return }
    pixels.put(
      colour, at: data + row * bytesPerRow + column * pixels.size, inPlace: inPlace,
      share: share * state.clip.share(column, row))
  }

  /// Visits the center of every pixel that a rectangle of memory touches and the clip includes.
  func each(_ bounds: CGRect, _ body: (_ place: CGPoint, _ column: Int, _ row: Int) -> Void) {
    guard [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY].allSatisfy(\.isFinite) else { return }
    func edge(_ place: CGFloat, _ limit: Int) -> Int { Int(min(max(place, 0), CGFloat(limit))) }
    let touched = PixelBounds(
      columns: edge(bounds.minX.rounded(.down), width)..<edge(bounds.maxX.rounded(.up), width),
      rows: edge(bounds.minY.rounded(.down), height)..<edge(bounds.maxY.rounded(.up), height)
    ).intersection(state.clip.bounds)
    for row in touched.rows {
      for column in touched.columns { body(CGPoint(x: CGFloat(column) + 0.5, y: CGFloat(row) + 0.5), column, row) }
    }
  }
}

/// An image scaled to about its drawn size, with premultiplied alpha.
struct DrawnPicture {
  private let picture: PixelBuffer
  private let bytes: UnsafePointer<UInt8>
  private let isSmooth: Bool

  init(_ source: PixelBuffer, across unit: CGAffineTransform, _ quality: CGInterpolationQuality) throws {
    let colours = try Self.multiplied(source.converted(to: kCVPixelFormatType_32RGBA))
    isSmooth = quality != .none
    func pixels(_ x: CGFloat, _ y: CGFloat) -> Int {
      Int(min(max((x * x + y * y).squareRoot().rounded(), 1), 1_048_576))
    }
    picture =
      isSmooth ? try colours.resized(width: pixels(unit.a, unit.b), height: pixels(unit.c, unit.d)) : colours
    // The address is stable while the image lives.
    guard let pixels = picture.withUnsafeBytes(\.baseAddress) else { throw ImageError(.invalid, "there are no pixels") }
    bytes = pixels.assumingMemoryBound(to: UInt8.self)
  }

  private static func multiplied(_ source: PixelBuffer) throws -> PixelBuffer {
    let result = try PixelBuffer(
      width: source.width, height: source.height, pixelFormatType: kCVPixelFormatType_32RGBA)
    source.withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        for y in 0..<source.height {
          for x in 0..<source.width {
            let (place, target) = (y * source.bytesPerRow + x * 4, y * result.bytesPerRow + x * 4)
            let alpha = Int(from[place + 3])
            for channel in 0..<3 { to[target + channel] = UInt8((Int(from[place + channel]) * alpha + 127) / 255) }
            to[target + 3] = from[place + 3]
          }
        }
      }
    }
    return result
  }

  /// The color at a point of the unit square, whose origin is the upper left corner.
  func colour(x: Float, y: Float) -> (Float, Float, Float, Float) {
    let (column, row) = (x * Float(picture.width), y * Float(picture.height))
    guard isSmooth else { return pixel(Int(column), Int(row)) }
    let (left, top) = ((column - 0.5).rounded(.down), (row - 0.5).rounded(.down))
    let (across, down) = (column - 0.5 - left, row - 0.5 - top)
    // With equal sizes, points are pixel centers up to rounding.
    if min(across, 1 - across) < 1e-3, min(down, 1 - down) < 1e-3 { return pixel(Int(column), Int(row)) }
    func mixed(_ a: (Float, Float, Float, Float), _ b: (Float, Float, Float, Float), _ share: Float)
      -> (Float, Float, Float, Float)
    {
      (
        a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share, a.2 + (b.2 - a.2) * share, a.3 + (b.3 - a.3) * share
      )
    }
    let (x, y) = (Int(left), Int(top))
    return mixed(mixed(pixel(x, y), pixel(x + 1, y), across), mixed(pixel(x, y + 1), pixel(x + 1, y + 1), across), down)
  }

  private func pixel(_ x: Int, _ y: Int) -> (Float, Float, Float, Float) {
    let column = min(max(x, 0), picture.width - 1)
    let place = bytes + min(max(y, 0), picture.height - 1) * picture.bytesPerRow + column * 4
    return (Float(place[0]), Float(place[1]), Float(place[2]), Float(place[3]))
  }
}
