import CoreMLImages

extension PixelBuffer {
  /// `converted` in plain Swift. `CImages` must agree with it bit for bit.
  func referenceConverted(to code: UInt32) throws(ImageError) -> PixelBuffer {
    if code == pixelFormatType { return self }
    guard let from = PixelFormat(pixelFormatType), let format = PixelFormat(code), !from.isFloat || format.isFloat
    else {
      throw ImageError(
        .unsupported,
        "pixels of format \(PixelFormat.name(pixelFormatType)) are not made into pixels of format \(PixelFormat.name(code))"
      )
    }
    let result = try PixelBuffer(width: width, height: height, pixelFormatType: code)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        if from.isFloat {
          copyFloats(source, from, to: target, bytesPerRow: result.bytesPerRow)
        } else {
          copyColours(source, from, to: target, result, format)
        }
      }
    }
    return result
  }

  private func copyFloats(
    _ source: UnsafeRawPointer, _ format: PixelFormat, to target: UnsafeMutableRawPointer, bytesPerRow rowBytes: Int
  ) {
    for y in 0..<height {
      let (row, place) = (source + y * bytesPerRow, target + y * rowBytes)
      for x in 0..<width {
        if format == .gray16Half {
          place.storeBytes(
            of: Float(row.loadUnaligned(fromByteOffset: x * 2, as: Float16.self)), toByteOffset: x * 4, as: Float.self)
        } else {
          place.storeBytes(
            of: Float16(row.loadUnaligned(fromByteOffset: x * 4, as: Float.self)), toByteOffset: x * 2, as: Float16.self
          )
        }
      }
    }
  }

  private func copyColours(
    _ source: UnsafeRawPointer, _ from: PixelFormat, to target: UnsafeMutableRawPointer, _ result: PixelBuffer,
    _ format: PixelFormat
  ) {
    var line = [UInt8](repeating: 255, count: width * 4)
    var sums: [Float] = []
    line.withUnsafeMutableBufferPointer { line in
      for y in 0..<height {
        read(row: y, of: source, from, into: line)
        if case .video(let isFullRange) = format {
          result.writeVideo(row: y, line, to: target, VideoColour(isFullRange: isFullRange), &sums)
        } else {
          Self.write(line, to: target + y * result.bytesPerRow, format)
        }
      }
    }
  }

  /// Reads a row as red, green, blue and alpha.
  private func read(
    row y: Int, of source: UnsafeRawPointer, _ format: PixelFormat, into line: UnsafeMutableBufferPointer<UInt8>
  ) {
    let row = (source + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    switch format {
    case .colour(let red, let green, let blue, let alpha):
      for x in stride(from: 0, to: width * 4, by: 4) {
        (line[x], line[x + 1], line[x + 2], line[x + 3]) = (row[x + red], row[x + green], row[x + blue], row[x + alpha])
      }
    case .video(let isFullRange):
      let colours = VideoColour(isFullRange: isFullRange)
      let differences = (source + planes[1].offset + y / 2 * planes[1].bytesPerRow).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        let pair = differences + x / 2 * 2
        (line[x * 4], line[x * 4 + 1], line[x * 4 + 2]) = colours.colour(luma: row[x], blue: pair[0], red: pair[1])
      }
    default:
      for x in 0..<width { (line[x * 4], line[x * 4 + 1], line[x * 4 + 2]) = (row[x], row[x], row[x]) }
    }
  }

  private static func write(
    _ line: UnsafeMutableBufferPointer<UInt8>, to row: UnsafeMutableRawPointer, _ format: PixelFormat
  ) {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    for (x, place) in stride(from: 0, to: line.count, by: 4).enumerated() {
      let (r, g, b) = (line[place], line[place + 1], line[place + 2])
      if case .colour(let red, let green, let blue, let alpha) = format {
        (bytes[place + red], bytes[place + green], bytes[place + blue], bytes[place + alpha]) = (
          r, g, b, line[place + 3]
        )
        continue
      }
      let luma = (299 * Int(r) + 587 * Int(g) + 114 * Int(b) + 500) / 1000
      switch format {
      case .gray16Half: row.storeBytes(of: Float16(luma), toByteOffset: x * 2, as: Float16.self)
      case .gray32Float: row.storeBytes(of: Float(luma), toByteOffset: x * 4, as: Float.self)
      default: bytes[x] = UInt8(luma)
      }
    }
  }

  /// Writes the luma of a row. After the second row of a pair, or the last row, it writes the color differences of
  /// both. `sums` holds the color sums of the first row.
  private func writeVideo(
    row y: Int, _ line: UnsafeMutableBufferPointer<UInt8>, to target: UnsafeMutableRawPointer, _ colours: VideoColour,
    _ sums: inout [Float]
  ) {
    let row = (target + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    let pairs = planes[1]
    if y % 2 == 0 { sums = Array(repeating: 0, count: pairs.width * 4) }
    for x in 0..<width {
      let (red, green, blue) = (Float(line[x * 4]), Float(line[x * 4 + 1]), Float(line[x * 4 + 2]))
      row[x] = colours.luma(red, green, blue)
      let place = x / 2 * 4
      for (index, value) in [red, green, blue, 1].enumerated() { sums[place + index] += value }
    }
    guard y % 2 == 1 || y == height - 1 else { return }
    let differences = (target + pairs.offset + y / 2 * pairs.bytesPerRow).assumingMemoryBound(to: UInt8.self)
    for pair in 0..<pairs.width {
      let count = sums[pair * 4 + 3]
      (differences[pair * 2], differences[pair * 2 + 1]) = colours.differences(
        sums[pair * 4] / count, sums[pair * 4 + 1] / count, sums[pair * 4 + 2] / count)
    }
  }
}

/// Conversion between colors and 8-bit luma with color differences.
///
/// The weights of red and blue in luma are those of ITU-R BT.601-7 (2.5.1): 0.299 and 0.114. With the video range, luma
/// is 16 to 235 and differences are 16 to 240 around 128 (2.5.3). With the full range all are 0 to 255, as in JFIF
/// (ITU-T T.871, 7).
private struct VideoColour {
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
