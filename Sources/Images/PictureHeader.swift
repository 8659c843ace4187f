/// The formats of files that are read.
package enum PictureFormat: Sendable, CaseIterable {
  case png
  case jpeg
  case webp
  case tiff
  case gif
  case bmp

  /// The format that a file begins like; nil for one that is not read here.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBP".utf8) {
      self = .webp
    } else if Self.tiffMarks.contains(where: { bytes.starts(with: $0) }) {
      self = .tiff
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if bytes.starts(with: "BM".utf8) {
      self = .bmp
    } else {
      return nil
    }
  }

  /// Little and big endian, with offsets of 32 bits and of 64.
  private static let tiffMarks: [[UInt8]] = [
    [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0], [0x4D, 0x4D, 0, 43],
  ]

  /// As people call it.
  package var name: String {
    switch self {
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .webp: "WebP"
    case .tiff: "TIFF"
    case .gif: "GIF"
    case .bmp: "BMP"
    }
  }

  /// What names of such files end in, in small letters, without the dot.
  package var extensions: [String] {
    switch self {
    case .png: ["png"]
    case .jpeg: ["jpg", "jpeg"]
    case .webp: ["webp"]
    case .tiff: ["tif", "tiff"]
    case .gif: ["gif"]
    case .bmp: ["bmp"]
    }
  }
}

/// What the head of a picture says of it.
package struct PictureHeader: Sendable {
  package let format: PictureFormat
  /// As it is stored, before it is turned.
  package let width: Int
  package let height: Int
  /// Nil where the file tells none.
  package let orientation: ImageOrientation?
  package let hasAlpha: Bool
  package let colours: Colours

  /// What colours are made of.
  package enum Colours: Sendable {
    case gray
    case rgb
    case cmyk
  }
}
