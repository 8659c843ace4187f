import CoreMLImages

/// A white image for lines and short texts.
struct Canvas {
  enum Color: UInt32 {
    case ink = 0x303030
    case grid = 0xE4E4E4
    case faint = 0xB4BCC4
    case strong = 0x1F6FB4
  }

  let buffer: PixelBuffer

  init(width: Int, height: Int) throws {
    buffer = try PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
    buffer.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
  }

  mutating func pixel(_ x: Int, _ y: Int, _ color: Color) {
    guard (0..<buffer.width).contains(x), (0..<buffer.height).contains(y) else { return }
    buffer.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(
        of: (color.rawValue | 0xFF00_0000).littleEndian, toByteOffset: y * buffer.bytesPerRow + x * 4, as: UInt32.self)
    }
  }

  /// The pixels of a line (Bresenham 1965).
  mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int), _ color: Color) {
    var (x, y) = start
    let (width, height) = (abs(end.x - x), -abs(end.y - y))
    let (right, down) = (x < end.x ? 1 : -1, y < end.y ? 1 : -1)
    var error = width + height
    while true {
      pixel(x, y, color)
      if (x, y) == end { return }
      let doubled = 2 * error
      if doubled >= height {
        error += height
        x += right
      }
      if doubled <= width {
        error += width
        y += down
      }
    }
  }

  mutating func path(_ points: [(x: Int, y: Int)], _ color: Color) {
    for (start, end) in zip(points, points.dropFirst()) {
      line(from: start, to: end, color)
      if color == .strong { line(from: (start.x, start.y + 1), to: (end.x, end.y + 1), color) }
    }
  }

  mutating func dot(_ center: (x: Int, y: Int), _ color: Color) {
    for y in -2...3 { for x in -2...2 { pixel(center.x + x, center.y + y, color) } }
  }

  // MARK: text

  /// Glyphs of 3 by 5 dots. Each digit is a row; its bits are the dots, with the highest bit on the left.
  private static let glyphs: [Character: String] = [
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71244",
    "8": "75757", "9": "75717", ".": "00002", "-": "00700", "+": "02720", "e": "75746", "p": "75744", "o": "00757",
    "c": "00747", "h": "44755", "l": "44447", "s": "03617", "n": "00755", "a": "00357", "i": "20222", "f": "34644",
  ]
  private static let dot = 2

  static func width(of text: String) -> Int { text.count * 4 * dot - dot }

  mutating func text(_ text: String, at corner: (x: Int, y: Int)) {
    for (place, letter) in text.enumerated() {
      for (row, digit) in (Self.glyphs[letter] ?? "00000").enumerated() {
        let bits = digit.wholeNumberValue ?? 0
        for column in 0..<3 where bits >> (2 - column) & 1 == 1 {
          for y in 0..<Self.dot {
            for x in 0..<Self.dot {
              pixel(corner.x + (place * 4 + column) * Self.dot + x, corner.y + row * Self.dot + y, .ink)
            }
          }
        }
      }
    }
  }
}
