/// The supported file formats.
package enum PictureFormat: Sendable, CaseIterable {
  case png
  case jpeg
  case webp
  case tiff
  case gif
  case bmp

  /// The format of a file by its first bytes; nil if it is not supported.
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

  /// Little- and big-endian, with 32-bit and 64-bit offsets.
  private static let tiffMarks: [[UInt8]] = [
    [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0], [0x4D, 0x4D, 0, 43],
  ]

  /// The common name.
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

  /// File name suffixes in lowercase, without the dot.
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

/// The information in the header of an image.
package struct PictureHeader: Sendable {
  package let format: PictureFormat
  /// The stored size, before the orientation is applied.
  package let width: Int
  package let height: Int
  /// Nil if the file has none.
  package let orientation: ImageOrientation?
  package let hasAlpha: Bool
  package let colours: Colours

  /// The color model.
  package enum Colours: Sendable {
    case gray
    case rgb
    case cmyk
  }
}
