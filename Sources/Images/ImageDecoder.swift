/// Reads pictures (PNG, JPEG, WebP, TIFF, GIF, BMP) as they are meant to be seen: the orientation that EXIF data or a TIFF file's own tag tells is
/// carried out.
///
/// Of an animation the first frame is read, of a TIFF file with several pages the first page. Colours are not multiplied by alpha, and
/// samples of 16 bits become the nearest of 8.
public enum ImageDecoder {
  /// A picture in memory as `32BGRA`, upright. `orientation` overrules what the file says of it.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, orientation: ImageOrientation? = nil
  ) throws(ImageError) -> PixelBuffer {
    let (picture, told) = try reader(bytes).pixels(bytes)
    return try picture.oriented(orientation ?? told ?? .up)
  }

  /// What the head of a picture says of it; its pixels are not looked at.
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

/// A format of files.
protocol PictureReader {
  /// What the head of a file says; its pixels are not looked at.
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader
  /// The pixels as `32BGRA`, as they are stored, and how they are meant to be turned; nil where the file tells nothing.
  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?)
}
