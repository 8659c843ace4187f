/// Luma and colour differences in bytes, and colours.
///
/// The weights of red and blue in luma are those of ITU-R BT.601-7 (2.5.1): 0.299 and 0.114. With the video range, luma is 16 to 235 and
/// differences are 16 to 240 around 128 (2.5.3); with the full range all are 0 to 255, as JFIF has them (ITU-T T.871, 7).
struct VideoColour {
  private static let (red, blue): (Float, Float) = (0.299, 0.114)
  private static let green = 1 - red - blue

  private let offset: Float
  private let lumaScale: Float
  private let differenceScale: Float

  init(isFullRange: Bool) {
    (offset, lumaScale, differenceScale) = isFullRange ? (0, 1, 1) : (16, 219 / 255, 224 / 255)
  }

  /// Red, green and blue.
  func colour(luma: UInt8, blue cb: UInt8, red cr: UInt8) -> (UInt8, UInt8, UInt8) {
    let y = (Float(luma) - offset) / lumaScale
    let red = y + 2 * (1 - Self.red) * (Float(cr) - 128) / differenceScale
    let blue = y + 2 * (1 - Self.blue) * (Float(cb) - 128) / differenceScale
    let green = (y - Self.red * red - Self.blue * blue) / Self.green
    return (Self.byte(red), Self.byte(green), Self.byte(blue))
  }

  func luma(_ red: Float, _ green: Float, _ blue: Float) -> UInt8 {
    Self.byte(offset + lumaScale * Self.weighted(red, green, blue))
  }

  /// The blue and the red difference.
  func differences(_ red: Float, _ green: Float, _ blue: Float) -> (UInt8, UInt8) {
    let y = Self.weighted(red, green, blue)
    return (
      Self.byte(128 + differenceScale * (blue - y) / (2 * (1 - Self.blue))),
      Self.byte(128 + differenceScale * (red - y) / (2 * (1 - Self.red)))
    )
  }

  private static func weighted(_ r: Float, _ g: Float, _ b: Float) -> Float { red * r + green * g + blue * b }

  private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}
