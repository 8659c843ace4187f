import CoreMLImages

/// The channel order of pixels that can be drawn to.
struct BitmapPixels {
  /// Bytes per pixel.
  let size: Int
  /// The pixel format of an image with the same channel order and straight (not premultiplied) alpha.
  let format: UInt32
  private let red: Int
  private let green: Int
  private let blue: Int
  /// The byte of alpha, or the unused byte.
  private let last: Int
  private let isOpaque: Bool
  /// Whether alpha is premultiplied.
  private let isMultiplied: Bool

  /// Nil for formats that cannot be drawn to.
  init?(_ space: CGColorSpace, _ info: CGBitmapInfo) {
    let alpha = CGImageAlphaInfo(rawValue: info.intersection(.alphaInfoMask).rawValue)
    let order = info.intersection(.byteOrderMask)
    guard !info.contains(.floatComponents), let alpha else { return nil }
    if space.numberOfComponents == 1 {
      guard alpha == .none, order == .byteOrderDefault else { return nil }
      (size, format, isOpaque, isMultiplied) = (1, kCVPixelFormatType_OneComponent8, true, false)
      (red, green, blue, last) = (0, 0, 0, 0)
      return
    }
    size = 4
    isOpaque = alpha == .noneSkipFirst || alpha == .noneSkipLast
    isMultiplied = alpha == .premultipliedFirst || alpha == .premultipliedLast
    let isFirst = [.premultipliedFirst, .noneSkipFirst, .first].contains(alpha)
    guard isFirst || [.premultipliedLast, .noneSkipLast, .last].contains(alpha) else { return nil }
    switch (isFirst, order) {
    case (true, .byteOrder32Little):
      format = kCVPixelFormatType_32BGRA
      (red, green, blue, last) = (2, 1, 0, 3)
    case (true, .byteOrderDefault), (true, .byteOrder32Big):
      format = kCVPixelFormatType_32ARGB
      (red, green, blue, last) = (1, 2, 3, 0)
    case (false, .byteOrderDefault), (false, .byteOrder32Big):
      format = kCVPixelFormatType_32RGBA
      (red, green, blue, last) = (0, 1, 2, 3)
    default: return nil
    }
  }

  /// Copies a row of pixels and converts premultiplied to straight alpha.
  func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int) {
    target.copyMemory(from: source, byteCount: count * size)
    guard size == 4 else { return }
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    for place in stride(from: 0, to: count * 4, by: 4) {
      let alpha = isOpaque ? 255 : Int(bytes[place + last])
      bytes[place + last] = UInt8(alpha)
      guard isMultiplied, alpha > 0, alpha < 255 else { continue }
      for channel in [red, green, blue] {
        bytes[place + channel] = UInt8(min((Int(bytes[place + channel]) * 255 + alpha / 2) / alpha, 255))
      }
    }
  }

  /// Blends a premultiplied color over a pixel with a coverage (`share`), or replaces the pixel. Channels are from 0 to
  /// 255.
  func put(
    _ whole: (Float, Float, Float, Float), at pixel: UnsafeMutableRawPointer, inPlace: Bool, share part: Float = 1
  ) {
    let bytes = pixel.assumingMemoryBound(to: UInt8.self)
    let colour = (whole.0 * part, whole.1 * part, whole.2 * part, whole.3 * part)
    var rest = inPlace ? 1 - part : 1 - colour.3 / 255
    var share: Float = 1
    func byte(_ new: Float, _ old: UInt8) -> UInt8 {
      UInt8(min(max(((new + rest * Float(old)) * share).rounded(), 0), 255))
    }
    guard size == 4 else {
      bytes[0] = byte(0.299 * colour.0 + 0.587 * colour.1 + 0.114 * colour.2, bytes[0])
      return
    }
    let opacity = isOpaque ? 255 : byte(colour.3, bytes[last])
    if !isOpaque, !isMultiplied {
      // Blending uses premultiplied colors.
      rest *= Float(bytes[last]) / 255
      share = opacity > 0 ? 255 / Float(opacity) : 0
    }
    bytes[red] = byte(colour.0, bytes[red])
    bytes[green] = byte(colour.1, bytes[green])
    bytes[blue] = byte(colour.2, bytes[blue])
    bytes[last] = opacity
  }
}
