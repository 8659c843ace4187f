import CoreMLImages
import Foundation

/// Pixels to draw pictures and rectangles into: 8 bits of gray, or four channels of 8 bits, alpha first or last.
///
/// Places are those of a plane whose origin is the lower left corner, as the current map (`ctm`) takes them there. Text is not drawn.
public final class CGContext: _CFObject {
  /// Pixels in a row.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// Bytes from one row to the next.
  public let bytesPerRow: Int
  /// What the numbers of pixels stand for.
  public let colorSpace: CGColorSpace?
  /// `alphaInfo` and the order of bytes.
  public let bitmapInfo: CGBitmapInfo
  /// The pixels, from the upper row on.
  public let data: UnsafeMutableRawPointer?
  /// Between which pixels of a picture those that are drawn are chosen.
  public var interpolationQuality = CGInterpolationQuality.default

  let pixels: BitmapPixels
  var state: State
  private var saved: [State] = []
  /// What `data` is part of, where nobody gave memory.
  private let memory: NSMutableData?

  struct State {
    var map = CGAffineTransform.identity
    var fill = CGColor.black
    var stroke = CGColor.black
    var alpha: CGFloat = 1
    var blend = CGBlendMode.normal
    var line = LineStyle()
    var isSmooth = true
    var clip: DrawingClip
  }

  /// The path that is being made, in places of the plane.
  var current = CGMutablePath()

  /// Pixels of the caller's memory, which it keeps as long as the context is drawn to, or of new memory, all 0, where `data` is nil. Where
  /// `bytesPerRow` is 0, rows follow one another.
  ///
  /// Nil for forms of pixels that cannot be drawn to, and for sizes that no picture has.
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {
    let info = CGBitmapInfo(rawValue: bitmapInfo)
    guard bitsPerComponent == 8, let pixels = BitmapPixels(space, info), width > 0, height > 0,
      width <= PixelBuffer.maximumPixels / height
    else { return nil }
    let row = bytesPerRow == 0 ? width * pixels.size : bytesPerRow
    let (count, overflows) = row.multipliedReportingOverflow(by: height)
    guard row >= width * pixels.size, !overflows else { return nil }
    memory = data == nil ? NSMutableData(length: count) : nil
    guard let place = data ?? memory?.mutableBytes else { return nil }
    (self.width, self.height, self.bytesPerRow, self.pixels) = (width, height, row, pixels)
    (colorSpace, self.bitmapInfo, self.data) = (space, info, place)
    state = State(clip: DrawingClip(width: width, height: height))
  }

  /// Bits of one channel of a pixel.
  public var bitsPerComponent: Int { 8 }
  /// Bits of one pixel.
  public var bitsPerPixel: Int { pixels.size * 8 }
  /// How pixels say how opaque they are.
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: bitmapInfo.intersection(.alphaInfoMask).rawValue) ?? .none
  }

  /// A copy of the pixels as a picture; colours are not multiplied by alpha in it.
  public func makeImage() -> CGImage? {
    guard let picture = try? PixelBuffer(width: width, height: height, pixelFormatType: pixels.format) else {
      return nil
    }
    picture.withUnsafeMutableBytes { target in
      guard let target = target.baseAddress, let data else { return }
      for row in 0..<height {
        pixels.copy(data + row * bytesPerRow, to: target + row * picture.bytesPerRow, count: width)
      }
    }
    return CGImage(picture)
  }

  // MARK: state

  /// From places to those of the plane.
  public var ctm: CGAffineTransform { state.map }

  /// Keeps the map, the colours, the way of drawing and where it is drawn to; not the path that is being made.
  public func saveGState() { saved.append(state) }

  /// Goes back to what was kept last.
  public func restoreGState() { if let last = saved.popLast() { state = last } }

  /// Moves the origin.
  public func translateBy(x tx: CGFloat, y ty: CGFloat) { state.map = state.map.translatedBy(x: tx, y: ty) }

  /// Stretches what is drawn.
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) { state.map = state.map.scaledBy(x: sx, y: sy) }

  /// Turns what is drawn by an angle in radians.
  public func rotate(by angle: CGFloat) { state.map = state.map.rotated(by: angle) }

  /// Applies another map before the current one.
  public func concatenate(_ transform: CGAffineTransform) { state.map = transform.concatenating(state.map) }

  /// The colour to fill with.
  public func setFillColor(_ color: CGColor) { state.fill = color }

  /// Gray to fill with.
  public func setFillColor(gray: CGFloat, alpha: CGFloat) { state.fill = CGColor(gray: gray, alpha: alpha) }

  /// The colour to fill with.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.fill = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// How what is drawn meets what is there.
  public func setBlendMode(_ mode: CGBlendMode) { state.blend = mode }

  /// The colour of lines.
  public func setStrokeColor(_ color: CGColor) { state.stroke = color }

  /// Gray for lines.
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) { state.stroke = CGColor(gray: gray, alpha: alpha) }

  /// The colour of lines.
  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.stroke = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// How opaque everything is that is drawn, from 0 to 1.
  public func setAlpha(_ alpha: CGFloat) { state.alpha = alpha.isNaN ? 0 : min(max(alpha, 0), 1) }

  /// Whether edges between pixels are smooth: a pixel that is covered in part is drawn in part. Else those are drawn whose middle is covered.
  public func setShouldAntialias(_ shouldAntialias: Bool) { state.isSmooth = shouldAntialias }

  /// Whether edges may be smooth, as `setShouldAntialias` says.
  public func setAllowsAntialiasing(_ allowsAntialiasing: Bool) { setShouldAntialias(allowsAntialiasing) }
}

/// How pixels of a picture in another size come from its own.
public enum CGInterpolationQuality: Int32, Sendable {
  /// As `medium`.
  case `default` = 0
  /// The nearest one.
  case none = 1
  /// As `medium`.
  case low = 2
  /// Between those nearby; where a picture shrinks, every pixel counts.
  case medium = 4
  /// As `medium`.
  case high = 3
}

/// How what is drawn meets what is there.
public enum CGBlendMode: Int32, Sendable {
  /// As opaque as it is, over it.
  case normal = 0
  /// In its place.
  case copy = 17
}
