import CImages
import CTIFF

/// The block layout of an image.
struct TIFFBlocks {
  let width: Int
  let height: Int
  let isTiled: Bool
  let blockWidth: Int
  let blockHeight: Int
  let across: Int
  let down: Int
  /// The number of samples per pixel if blocks hold one sample each, otherwise 1.
  let planes: Int
  let rowBytes: Int
  let blockBytes: Int
  /// Samples of a block in all planes.
  let bandSamples: Int

  /// - Throws: `ImageError` for sizes beyond the limits of images, and for blocks that do not consist of rows.
  init(_ image: CTIFFImage) throws(ImageError) {
    (width, height) = (Int(image.width), Int(image.height))
    (blockWidth, blockHeight) = (Int(image.blockWidth), Int(image.blockHeight))
    // The size limit applies to the image and to a block: a tile may be larger than its image.
    _ = try PixelLayout(width, height, kCVPixelFormatType_32BGRA, rowAlignment: 1)
    _ = try PixelLayout(blockWidth, blockHeight, kCVPixelFormatType_32BGRA, rowAlignment: 1)
    isTiled = image.isTiled != 0
    across = (width + blockWidth - 1) / blockWidth
    down = (height + blockHeight - 1) / blockHeight
    let samples = Int(image.samples)
    planes = image.isPlanar == 0 ? 1 : samples
    rowBytes = (blockWidth * (image.isPlanar == 0 ? samples : 1) * Int(image.bits) + 7) / 8
    blockBytes = rowBytes * blockHeight
    bandSamples = blockWidth * blockHeight * samples
    guard blockBytes == image.blockBytes, bandSamples <= PixelBuffer.maximumPixels * 8 else {
      throw ImageError(.invalid, "the TIFF picture is damaged: its blocks are of another size than their pixels")
    }
  }

  /// The part of the image in a block.
  func part(_ band: Int, _ column: Int) -> (left: Int, top: Int, width: Int, height: Int) {
    let (left, top) = (column * blockWidth, band * blockHeight)
    return (left, top, min(blockWidth, width - left), min(blockHeight, height - top))
  }
}

/// The meaning of a pixel's samples.
struct TIFFSamples {
  private enum Meaning {
    case gray(isInverted: Bool)
    case rgb
    case palette([(UInt8, UInt8, UInt8)])
    case inks
  }

  /// The values of TIFF's PhotometricInterpretation.
  private static let kinds = [
    4: "a mask", 6: "luma and differences", 8: "CIE L*a*b*", 9: "ICC L*a*b*", 10: "ITU L*a*b*",
    32803: "a colour filter array",
    32844: "the logarithm of luminance", 32845: "the logarithm of luminance and colours",
  ]

  private let meaning: Meaning
  private let bits: Int
  private let isMultiplied: Bool
  let perPixel: Int
  /// The index of the alpha sample.
  let alpha: Int?

  var colours: PictureHeader.Colours {
    switch meaning {
    case .gray: .gray
    case .inks: .cmyk
    default: .rgb
    }
  }

  /// - Throws: `ImageError`, `unsupported`, with the name of the unsupported kind of samples.
  init(_ image: CTIFFImage, palette: [[UInt16]]? = nil) throws(ImageError) {
    bits = Int(image.bits)
    perPixel = Int(image.samples)
    func refuse(_ text: String) -> ImageError {
      ImageError(.unsupported, "the TIFF picture has \(text), which is not read")
    }
    guard [1, 2, 4, 8, 16].contains(bits) else { throw refuse("samples of \(bits) bits") }
    // 1: unsigned integers; 4: undefined.
    guard image.sampleFormat == 1 || image.sampleFormat == 4 else {
      throw refuse("samples that are no whole numbers from 0")
    }
    let colours: Int
    switch Int(image.photometric) {
    case 0, 1: (meaning, colours) = (.gray(isInverted: image.photometric == 0), 1)
    case 2: (meaning, colours) = (.rgb, 3)
    case 3:
      guard bits <= 8 else { throw refuse("a palette for samples of \(bits) bits") }
      (meaning, colours) = (.palette(try Self.colours(palette, 1 << bits)), 1)
    case 5:
      // 1: cyan, magenta, yellow and black.
      guard image.inks == 1 else { throw refuse("inks other than cyan, magenta, yellow and black") }
      (meaning, colours) = (.inks, 4)
    case let kind: throw refuse(Self.kinds[kind] ?? "colours of kind \(kind)")
    }
    guard perPixel >= colours, perPixel <= 8 else { throw refuse("\(perPixel) samples a pixel") }
    let hasAlpha = image.extraSamples > 0 && perPixel > colours && [1, 2].contains(image.firstExtraSample)
    alpha = hasAlpha ? colours : nil
    isMultiplied = hasAlpha && image.firstExtraSample == 1
  }

  /// 8-bit colors. Some writers store 255 as 65280, others as 65535; the upper byte is right for both. Some leave the
  /// upper bytes empty.
  private static func colours(_ palette: [[UInt16]]?, _ count: Int) throws(ImageError) -> [(UInt8, UInt8, UInt8)] {
    guard let palette else { return [] }
    guard palette.count == 3, palette.allSatisfy({ $0.count == count }) else {
      throw ImageError(.invalid, "the TIFF picture is damaged: it has no palette")
    }
    let shift: UInt16 = palette.joined().allSatisfy { $0 < 256 } ? 0 : 8
    return (0..<count).map { index in
      let colour = palette.map { UInt8(truncatingIfNeeded: $0[index] >> shift) }
      return (colour[0], colour[1], colour[2])
    }
  }

  /// Unpacks samples of a row to bytes from 0 to 255, `step` bytes apart. Palette samples stay indices.
  func unpack(
    _ row: UnsafeRawBufferPointer, count: Int, to line: UnsafeMutableRawBufferPointer, step: Int
  ) {
    switch bits {
    case 16:
      for index in 0..<count {
        // Rounded to nearest: 65535 becomes 255.
        let sample = Int(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        line[index * step] = UInt8((sample + 128) / 257)
      }
    case 8 where step == 1: line.copyMemory(from: UnsafeRawBufferPointer(rebasing: row[..<count]))
    case 8: for index in 0..<count { line[index * step] = row[index] }
    default:
      var scale = 1
      if case .palette = meaning {} else { scale = 255 / (1 << bits - 1) }
      for index in 0..<count {
        let place = index * bits
        let sample = Int(row[place / 8]) >> (8 - bits - place % 8) & (1 << bits - 1)
        line[index * step] = UInt8(sample * scale)
      }
    }
  }

  /// Converts pixels to blue, green, red and alpha.
  func colour(_ line: UnsafeRawBufferPointer, count: Int, to pixels: UnsafeMutableRawBufferPointer) {
    guard let source = line.baseAddress, let target = pixels.baseAddress else { return }
    switch (meaning, perPixel, alpha) {
    case (.gray(isInverted: false), 1, nil):
      return cimages_colours_of_gray(source.assumingMemoryBound(to: UInt8.self), target, .bgra, count)
    case (.rgb, 3, nil): return cimages_expand(source, .rgba, target, .bgra, count)
    case (.rgb, 4, 3?) where !isMultiplied: return cimages_reorder(source, .rgba, target, .bgra, count)
    default: break
    }
    for x in 0..<count {
      let place = x * perPixel
      var (red, green, blue): (UInt8, UInt8, UInt8)
      switch meaning {
      case .gray(let isInverted):
        let value = isInverted ? 255 - line[place] : line[place]
        (red, green, blue) = (value, value, value)
      case .rgb: (red, green, blue) = (line[place], line[place + 1], line[place + 2])
      case .palette(let colours): (red, green, blue) = colours[Int(line[place])]
      case .inks:
        let light = 255 - Int(line[place + 3])
        func shade(_ ink: UInt8) -> UInt8 { UInt8((255 - Int(ink)) * light / 255) }
        (red, green, blue) = (shade(line[place]), shade(line[place + 1]), shade(line[place + 2]))
      }
      let opacity = alpha.map { line[place + $0] } ?? 255
      if isMultiplied {
        func whole(_ value: UInt8) -> UInt8 {
          opacity == 0 ? 0 : UInt8(min((Int(value) * 255 + Int(opacity) / 2) / Int(opacity), 255))
        }
        (red, green, blue) = (whole(red), whole(green), whole(blue))
      }
      (pixels[x * 4], pixels[x * 4 + 1], pixels[x * 4 + 2], pixels[x * 4 + 3]) = (blue, green, red, opacity)
    }
  }
}
