import CoreMLImages
import Foundation

/// A bitmap to draw images, paths and rectangles into: 8-bit gray, or four 8-bit channels with alpha first or last.
///
/// Coordinates refer to a plane whose origin is the lower left corner, through the current transform (`ctm`). Text is
/// not supported.
// More than 400 lines over its files: Core Graphics has all these functions on this one type.
public final class CGContext: _CFObject {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// Bytes from one row to the next.
  public let bytesPerRow: Int
  /// The color space of the pixels.
  public let colorSpace: CGColorSpace?
  /// `alphaInfo` and the byte order.
  public let bitmapInfo: CGBitmapInfo
  /// The pixels, beginning with the top row.
  public let data: UnsafeMutableRawPointer?
  /// How drawn images are interpolated.
  public var interpolationQuality = CGInterpolationQuality.default

  let pixels: BitmapPixels
  var state: State
  private var saved: [State] = []
  /// The memory of `data`, unless the caller provided it.
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

  /// The path under construction, in the base space.
  var current = CGMutablePath()

  /// Creates a context over the caller's memory, which must stay valid while the context is drawn to. If `data` is nil,
  /// the context allocates memory, set to 0. If `bytesPerRow` is 0, rows have no padding.
  ///
  /// Nil for pixel formats that cannot be drawn to, and for sizes beyond the limits of images.
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

  /// Bits per channel.
  public var bitsPerComponent: Int { 8 }
  /// Bits per pixel.
  public var bitsPerPixel: Int { pixels.size * 8 }
  /// Where pixels store alpha.
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: bitmapInfo.intersection(.alphaInfoMask).rawValue) ?? .none
  }

  /// An image with a copy of the pixels and straight alpha.
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

  /// The current transform, from user space to the base space.
  public var ctm: CGAffineTransform { state.map }

  /// Saves the transform, the colors, the drawing parameters and the clip, but not the path under construction.
  public func saveGState() { saved.append(state) }

  /// Restores the state that was saved last.
  public func restoreGState() { if let last = saved.popLast() { state = last } }

  /// Translates the coordinate system.
  public func translateBy(x tx: CGFloat, y ty: CGFloat) { state.map = state.map.translatedBy(x: tx, y: ty) }

  /// Scales the coordinate system.
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) { state.map = state.map.scaledBy(x: sx, y: sy) }

  /// Rotates the coordinate system by an angle in radians.
  public func rotate(by angle: CGFloat) { state.map = state.map.rotated(by: angle) }

  /// Applies a transform before the current one.
  public func concatenate(_ transform: CGAffineTransform) { state.map = transform.concatenating(state.map) }

  /// Sets the fill color.
  public func setFillColor(_ color: CGColor) { state.fill = color }

  /// Sets a gray as the fill color.
  public func setFillColor(gray: CGFloat, alpha: CGFloat) { state.fill = CGColor(gray: gray, alpha: alpha) }

  /// Sets the fill color.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.fill = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Sets the blend mode.
  public func setBlendMode(_ mode: CGBlendMode) { state.blend = mode }

  /// Sets the stroke color.
  public func setStrokeColor(_ color: CGColor) { state.stroke = color }

  /// Sets a gray as the stroke color.
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) { state.stroke = CGColor(gray: gray, alpha: alpha) }

  /// Sets the stroke color.
  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.stroke = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Sets the opacity of all drawing, from 0 to 1.
  public func setAlpha(_ alpha: CGFloat) { state.alpha = alpha.isNaN ? 0 : min(max(alpha, 0), 1) }

  /// Sets whether edges are antialiased: partly covered pixels are partly drawn. Otherwise a pixel is drawn if its
  /// center is covered.
  public func setShouldAntialias(_ shouldAntialias: Bool) { state.isSmooth = shouldAntialias }

  /// Sets whether edges may be antialiased, with the same effect as `setShouldAntialias`.
  public func setAllowsAntialiasing(_ allowsAntialiasing: Bool) { setShouldAntialias(allowsAntialiasing) }
}

/// How an image is interpolated when it is drawn in another size.
public enum CGInterpolationQuality: Int32, Sendable {
  /// Equal to `medium`.
  case `default` = 0
  /// The nearest pixel.
  case none = 1
  /// Equal to `medium`.
  case low = 2
  /// Bilinear; when an image shrinks, every pixel contributes.
  case medium = 4
  /// Equal to `medium`.
  case high = 3
}

/// How new colors combine with existing ones.
public enum CGBlendMode: Int32, Sendable {
  /// Alpha blending over the existing color.
  case normal = 0
  /// Replacement of the existing color.
  case copy = 17
}
