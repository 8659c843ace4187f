import CImages

/// A BMP decoder: 1, 4 and 8 bits with a palette; 16, 24 and 32 bits as colors; rows top-down or bottom-up.
enum BMPPicture: PictureReader {
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    let file = try BMPFile(bytes)
    return PictureHeader(
      format: .bmp, width: file.width, height: file.height, orientation: nil, hasAlpha: file.hasAlpha, colours: .rgb)
  }

  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?) {
    let file = try BMPFile(bytes)
    guard file.start <= bytes.count, file.rowBytes <= (bytes.count - file.start) / file.height else {
      throw BMPFile.damaged("it is cut short")
    }
    let buffer = try PixelBuffer(
      uninitializedWidth: file.width, height: file.height, pixelFormatType: kCVPixelFormatType_32BGRA)
    for y in 0..<file.height {
      let place = file.start + (file.isTopDown ? y : file.height - 1 - y) * file.rowBytes
      let row = UnsafeRawBufferPointer(rebasing: bytes[place..<(place + file.rowBytes)])
      let isPainted = buffer.withUnsafeMutableBytes { pixels in
        file.copy(row, to: UnsafeMutableRawBufferPointer(rebasing: pixels[(y * buffer.bytesPerRow)...]))
      }
      guard isPainted else { throw BMPFile.damaged("a pixel has a colour that the palette has not") }
    }
    return (buffer, nil)
  }
}

/// The checked headers of a file. Whether all rows are present is not checked.
private struct BMPFile {
  /// Blue, green and red.
  typealias Colour = (UInt8, UInt8, UInt8)

  let width: Int
  let height: Int
  let isTopDown: Bool
  /// The offset of the first stored row.
  let start: Int
  let rowBytes: Int
  private let bits: Int
  private var palette: [Colour] = []
  /// The bit fields of blue, green, red and alpha in a pixel of 16 or 32 bits.
  private var fields: [BMPField] = []

  var hasAlpha: Bool { fields.count == 4 && fields[3].bits > 0 }

  static func damaged(_ text: String) -> ImageError { ImageError(.invalid, "the BMP picture is damaged: \(text)") }

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    func number(_ place: Int, _ size: Int) throws(ImageError) -> Int {
      guard place <= bytes.count - size else { throw Self.damaged("its headers are cut short") }
      return (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    func signed(_ place: Int) throws(ImageError) -> Int { Int(Int32(truncatingIfNeeded: try number(place, 4))) }
    start = try number(10, 4)
    let size = try number(14, 4)
    let isOld = size == 12
    guard isOld || [40, 52, 56, 64, 108, 124].contains(size) else {
      throw ImageError(.unsupported, "the BMP picture has a header of \(size) bytes, which is not known")
    }
    width = isOld ? try number(18, 2) : try signed(18)
    let rows = isOld ? try number(20, 2) : try signed(22)
    isTopDown = rows < 0
    height = abs(rows)
    // Checked before sizes are multiplied.
    _ = try PixelLayout(width, height, kCVPixelFormatType_32BGRA, rowAlignment: 1)
    bits = try number(isOld ? 24 : 28, 2)
    let compression = isOld ? 0 : try number(30, 4)
    // The OS/2 header uses other encoding numbers.
    guard size != 64 || compression == 0 else {
      throw ImageError(
        .unsupported, "the BMP picture has pixels in encoding \(compression) of OS/2, which are not read")
    }
    let isMasked = compression == 3 || compression == 6
    switch (compression, bits) {
    case (0, 1), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32), (3, 16), (3, 32), (6, 16), (6, 32): break
    case (1, _), (2, _):
      throw ImageError(.unsupported, "the BMP picture has run-length encoded pixels, which are not read")
    case (4, _), (5, _):
      throw ImageError(.unsupported, "the BMP picture has a JPEG or PNG picture in it, which is not read")
    default:
      throw ImageError(
        .unsupported, "the BMP picture has pixels of \(bits) bits in encoding \(compression), which are not read")
    }
    rowBytes = (width * bits + 31) / 32 * 4
    if bits <= 8 {
      let told = isOld ? 0 : try number(46, 4)
      let count = told == 0 ? 1 << bits : min(told, 1 << bits)
      let step = isOld ? 3 : 4
      for index in 0..<count {
        let colour = try number(14 + size + index * step, 3)
        palette.append(
          (UInt8(colour & 0xFF), UInt8(colour >> 8 & 0xFF), UInt8(colour >> 16 & 0xFF)))
      }
    } else if bits != 24 {
      // Red, green, blue and, in longer headers, alpha.
      var masks = bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
      if isMasked {
        for index in 0..<3 { masks[index] = try number(54 + index * 4, 4) }
        masks[3] = size >= 56 || compression == 6 ? try number(66, 4) : 0
      }
      for mask in [masks[2], masks[1], masks[0], masks[3]] { fields.append(try BMPField(mask, of: bits)) }
    }
  }

  /// The channel order of 24- or 32-bit pixels; nil if a channel is not a whole byte.
  private var byteOrder: CImagesOrder? {
    if bits == 24 { return .bgra }
    guard bits == 32, let blue = fields[0].byte, let green = fields[1].byte, let red = fields[2].byte else {
      return nil
    }
    guard hasAlpha else { return CImagesOrder(red: red, green: green, blue: blue, alpha: UInt8(CIMAGES_NO_ALPHA)) }
    return fields[3].byte.map { CImagesOrder(red: red, green: green, blue: blue, alpha: $0) }
  }

  /// Converts a stored row to blue, green, red and alpha. Returns false for a color index outside the palette.
  func copy(_ row: UnsafeRawBufferPointer, to line: UnsafeMutableRawBufferPointer) -> Bool {
    if let order = byteOrder, let source = row.baseAddress, let target = line.baseAddress {
      (bits == 24 ? cimages_expand : cimages_reorder)(source, order, target, .bgra, width)
      return true
    }
    for x in 0..<width {
      var colour: Colour = (0, 0, 0)
      var alpha: UInt8 = 255
      switch bits {
      case 24: colour = (row[x * 3], row[x * 3 + 1], row[x * 3 + 2])
      case 16, 32:
        let pixel = (0..<(bits / 8)).reduce(0) { $0 | Int(row[x * bits / 8 + $1]) << (8 * $1) }
        colour = (fields[0].value(pixel), fields[1].value(pixel), fields[2].value(pixel))
        if hasAlpha { alpha = fields[3].value(pixel) }
      default:
        let place = x * bits
        let index = Int(row[place / 8]) >> (8 - bits - place % 8) & (1 << bits - 1)
        guard index < palette.count else { return false }
        colour = palette[index]
      }
      (line[x * 4], line[x * 4 + 1], line[x * 4 + 2], line[x * 4 + 3]) = (colour.0, colour.1, colour.2, alpha)
    }
    return true
  }
}

/// The bits of one channel in a pixel.
private struct BMPField {
  private let shift: Int
  let bits: Int

  init(_ mask: Int, of pixel: Int) throws(ImageError) {
    shift = mask == 0 ? 0 : mask.trailingZeroBitCount
    bits = mask.nonzeroBitCount
    guard mask >> shift == 1 << bits - 1, mask < 1 << pixel else {
      throw BMPFile.damaged("the bits of a colour do not lie together")
    }
  }

  /// The index of the byte with the channel, if the channel is a whole byte.
  var byte: UInt8? { bits == 8 && shift % 8 == 0 ? UInt8(shift / 8) : nil }

  /// Scales the channel linearly to 0...255.
  func value(_ pixel: Int) -> UInt8 {
    if bits == 0 { return 0 }
    let most = 1 << bits - 1
    return UInt8(((pixel >> shift & most) * 255 + most / 2) / most)
  }
}
