/// The formats of files that are read.
package enum PictureFormat: Sendable {
  case png
  case jpeg

  /// The format that a file begins like; nil for one that is not read here.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else {
      return nil
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
