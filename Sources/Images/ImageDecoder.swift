/// Decodes images (PNG, JPEG, WebP, TIFF, GIF, BMP), and applies the orientation from EXIF data or a TIFF file's own
/// tag.
///
/// It decodes the first frame of an animation, and the first page of a TIFF file. Alpha is straight, and 16-bit samples
/// are rounded to 8 bits.
public enum ImageDecoder {
  /// Decodes an image in memory to upright `32BGRA`. `orientation` overrides the orientation in the file.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, orientation: ImageOrientation? = nil
  ) throws(ImageError) -> PixelBuffer {
    let (picture, told) = try reader(bytes).pixels(bytes)
    return try picture.oriented(orientation ?? told ?? .up)
  }

  /// The header of an image. Pixels are not read.
  package static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    try reader(bytes).header(bytes)
  }

  private static func reader(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> any PictureReader.Type {
    guard let format = PictureFormat(bytes) else {
      let known = PictureFormat.allCases.map(\.name)
      throw ImageError(
        .unsupported,
        "expected a picture (\(known.dropLast().joined(separator: ", ")) or \(known[known.count - 1])), found none of these"
      )
    }
    switch format {
    case .png: return PNGPicture.self
    case .jpeg: return JPEGPicture.self
    case .webp: return WebPPicture.self
    case .tiff: return TIFFPicture.self
    case .gif: return GIFPicture.self
    case .bmp: return BMPPicture.self
    }
  }
}

/// A decoder of a file format.
protocol PictureReader {
  /// The header of a file. Pixels are not read.
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader
  /// The pixels as `32BGRA` in storage orientation, with the orientation in the file; nil if it has none.
  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?)
}
