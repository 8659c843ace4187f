/// How a picture of one size becomes one of another (`VNImageCropAndScaleOption`, with its raw values).
public enum ImageCropAndScale: UInt, Sendable {
  /// The middle, scaled so that it fills the size without distortion.
  case centerCrop = 0
  /// All of the picture without distortion; what stays free is black.
  case scaleFit = 1
  /// All of the picture, stretched to the size.
  case scaleFill = 2
  /// As `scaleFit` and `scaleFill`, turned by 90 degrees counterclockwise before.
  case scaleFitRotate90CCW = 0x101
  case scaleFillRotate90CCW = 0x102
}

extension PixelBuffer {
  /// The picture in another size, by bilinear interpolation; where it shrinks, every pixel counts (a triangle filter as wide as the
  /// step). 32BGRA only.
  public func resized(width: Int, height: Int, _ option: ImageCropAndScale = .scaleFill) throws(ImageError)
    -> PixelBuffer
  {
    guard pixelFormatType == kCVPixelFormatType_32BGRA else {
      throw ImageError(.unsupported, "only colour pictures are resized")
    }
    switch option {
    case .scaleFitRotate90CCW: return try oriented(.left).resized(width: width, height: height, .scaleFit)
    case .scaleFillRotate90CCW: return try oriented(.left).resized(width: width, height: height, .scaleFill)
    default: break
    }
    if width == self.width && height == self.height { return self }
    let result = try PixelBuffer(width: width, height: height, pixelFormatType: pixelFormatType)
    var (left, top) = (0.0, 0.0)
    var (wide, high) = (Double(self.width), Double(self.height))
    let scale = (x: Double(width) / wide, y: Double(height) / high)
    var (targetX, targetY, targetWidth, targetHeight) = (0, 0, width, height)
    switch option {
    case .centerCrop:
      let factor = max(scale.x, scale.y)
      let (cropped, tall) = (Double(width) / factor, Double(height) / factor)
      (left, top) = ((wide - cropped) / 2, (high - tall) / 2)
      (wide, high) = (cropped, tall)
    case .scaleFit:
      let factor = min(scale.x, scale.y)
      targetWidth = max(Int((wide * factor).rounded()), 1)
      targetHeight = max(Int((high * factor).rounded()), 1)
      (targetX, targetY) = ((width - targetWidth) / 2, (height - targetHeight) / 2)
    default: break
    }
    let columns = ImageFilter(from: left, length: wide, size: self.width, to: targetWidth)
    let rows = ImageFilter(from: top, length: high, size: self.height, to: targetHeight)
    // Columns first, row by row of the source that is needed; then rows.
    let needed = (rows.taps.first?.first ?? 0)..<(rows.taps.map { $0.first + $0.weights.count }.max() ?? 0)
    var narrow = [Float](repeating: 0, count: needed.count * targetWidth * 4)
    withUnsafeBytes { source in
      for (line, y) in needed.enumerated() {
        for (x, tap) in columns.taps.enumerated() {
          for (index, weight) in tap.weights.enumerated() {
            let from = y * bytesPerRow + (tap.first + index) * 4
            let to = (line * targetWidth + x) * 4
            for channel in 0..<4 { narrow[to + channel] += weight * Float(source[from + channel]) }
          }
        }
      }
    }
    result.withUnsafeMutableBytes { target in
      for pixel in stride(from: 3, to: target.count, by: 4) { target[pixel] = 255 }
      for (y, tap) in rows.taps.enumerated() {
        for x in 0..<(targetWidth * 4) {
          var sum: Float = 0
          for (index, weight) in tap.weights.enumerated() {
            sum += weight * narrow[(tap.first + index - needed.lowerBound) * targetWidth * 4 + x]
          }
          target[(targetY + y) * result.bytesPerRow + targetX * 4 + x] = UInt8(min(max(sum.rounded(), 0), 255))
        }
      }
    }
    return result
  }

  /// The part inside a rectangle given in fractions of the size, from the top left corner.
  public func cropped(x: Double, y: Double, width: Double, height: Double) throws(ImageError) -> PixelBuffer {
    guard let size = Self.bytesPerPixel(pixelFormatType), x >= 0, y >= 0, width > 0, height > 0, x + width <= 1,
      y + height <= 1
    else {
      throw ImageError(.invalid, "a crop rectangle of (\(x), \(y), \(width), \(height)) is not within the picture")
    }
    let left = min(Int(x * Double(self.width)), self.width - 1)
    let top = min(Int(y * Double(self.height)), self.height - 1)
    let result = try PixelBuffer(
      width: min(max(Int((width * Double(self.width)).rounded()), 1), self.width - left),
      height: min(max(Int((height * Double(self.height)).rounded()), 1), self.height - top),
      pixelFormatType: pixelFormatType)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        for row in 0..<result.height {
          let from = (top + row) * bytesPerRow + left * size
          let line = UnsafeRawBufferPointer(rebasing: source[from..<(from + result.bytesPerRow)])
          UnsafeMutableRawBufferPointer(rebasing: target[(row * result.bytesPerRow)...]).copyMemory(from: line)
        }
      }
    }
    return result
  }

  /// The picture in another pixel format; gray of colours is their luma of ITU-R BT.601, in whole numbers. Half-precision gray is
  /// converted to nothing else.
  public func converted(to format: UInt32) throws(ImageError) -> PixelBuffer {
    if format == pixelFormatType { return self }
    let result = try PixelBuffer(width: width, height: height, pixelFormatType: format)
    let order = pixelFormatType == kCVPixelFormatType_32ARGB ? [3, 2, 1, 0] : [0, 1, 2, 3]
    guard pixelFormatType == kCVPixelFormatType_32BGRA || pixelFormatType == kCVPixelFormatType_32ARGB else {
      guard pixelFormatType == kCVPixelFormatType_OneComponent8, Self.bytesPerPixel(format) == 4 else {
        throw ImageError(
          .unsupported, "pixels of format \(pixelFormatType) are not made into pixels of format \(format)")
      }
      spread(into: result, alpha: format == kCVPixelFormatType_32ARGB ? 0 : 3)
      return result
    }
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        for pixel in 0..<(width * height) {
          let (b, g, r, a) = (
            source[pixel * 4 + order[0]], source[pixel * 4 + order[1]], source[pixel * 4 + order[2]],
            source[pixel * 4 + order[3]]
          )
          switch format {
          case kCVPixelFormatType_32BGRA: for (i, v) in [b, g, r, a].enumerated() { target[pixel * 4 + i] = v }
          case kCVPixelFormatType_32ARGB: for (i, v) in [a, r, g, b].enumerated() { target[pixel * 4 + i] = v }
          default:
            let luma = (299 * Int(r) + 587 * Int(g) + 114 * Int(b) + 500) / 1000
            if format == kCVPixelFormatType_OneComponent8 {
              target[pixel] = UInt8(luma)
            } else {
              target.storeBytes(of: Float16(luma), toByteOffset: pixel * 2, as: Float16.self)
            }
          }
        }
      }
    }
    return result
  }

  /// Gray as opaque colour.
  private func spread(into result: PixelBuffer, alpha: Int) {
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        for pixel in 0..<(width * height) {
          for byte in 0..<4 { target[pixel * 4 + byte] = byte == alpha ? 255 : source[pixel] }
        }
      }
    }
  }
}

/// The weights with which samples of one axis make up those of another.
private struct ImageFilter {
  let taps: [(first: Int, weights: [Float])]

  /// - Parameters: `length` samples from `start` on, of `size` that there are, become `count`.
  init(from start: Double, length: Double, size: Int, to count: Int) {
    let step = length / Double(count)
    let reach = max(step, 1)
    taps = (0..<count).map { index in
      let center = start + (Double(index) + 0.5) * step - 0.5
      let first = max(Int((center - reach).rounded(.up)), 0)
      let last = min(Int((center + reach).rounded(.down)), size - 1)
      guard first <= last else { return (min(max(Int(center.rounded()), 0), size - 1), [1]) }
      let weights = (first...last).map { Float(max(1 - abs(Double($0) - center) / reach, 0)) }
      let sum = weights.reduce(0, +)
      return sum > 0 ? (first, weights.map { $0 / sum }) : (min(max(Int(center.rounded()), 0), size - 1), [1])
    }
  }
}
