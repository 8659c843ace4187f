import CImages

/// The orientation of stored rows and columns, with the values of the EXIF tag 0x0112.
public enum ImageOrientation: UInt32, Sendable, CaseIterable {
  /// The first row is at the top, the first column at the left: upright.
  case up = 1
  /// The first row is at the top, the first column at the right.
  case upMirrored = 2
  /// The first row is at the bottom, the first column at the right. A half turn makes it upright.
  case down = 3
  /// The first row is at the bottom, the first column at the left.
  case downMirrored = 4
  /// The first row is at the left, the first column at the top.
  case leftMirrored = 5
  /// The first row is at the right, the first column at the top. A quarter turn clockwise makes it upright.
  case right = 6
  /// The first row is at the right, the first column at the bottom.
  case rightMirrored = 7
  /// The first row is at the left, the first column at the bottom. A quarter turn counterclockwise makes it upright.
  case left = 8

  /// The orientation in the EXIF data of a JPEG file; nil if it is absent or invalid.
  static func told(by bytes: UnsafeRawBufferPointer) -> ImageOrientation? {
    var position = 2
    while position + 4 <= bytes.count, bytes[position] == 0xFF {
      let marker = bytes[position + 1]
      // Padding, then the start of the image data.
      if marker == 0xFF { position += 1; continue }
      if marker == 0xDA || marker == 0xD9 { return nil }
      let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      guard length >= 2, position + 2 + length <= bytes.count else { return nil }
      let segment = UnsafeRawBufferPointer(rebasing: bytes[(position + 4)..<(position + 2 + length)])
      if marker == 0xE1, segment.starts(with: exifMark) { return ImageOrientation(exif: segment) }
      position += 2 + length
    }
    return nil
  }

  private static let exifMark = Array("Exif\0\0".utf8)

  /// Reads the first directory of the TIFF structure in EXIF data, with or without the marker of JPEG files.
  init?(exif: UnsafeRawBufferPointer) {
    let isMarked = exif.starts(with: Self.exifMark)
    let tiff = isMarked ? UnsafeRawBufferPointer(rebasing: exif[Self.exifMark.count...]) : exif
    guard let told = Self.orientation(tiff: tiff) else { return nil }
    self = told
  }

  private static func orientation(tiff: UnsafeRawBufferPointer) -> ImageOrientation? {
    guard tiff.count >= 8 else { return nil }
    let isLittle = tiff[0] == 0x49
    func number(_ offset: Int, _ size: Int) -> Int? {
      guard offset >= 0, offset <= tiff.count - size else { return nil }
      return (0..<size).reduce(0) { $0 | Int(tiff[offset + $1]) << (8 * (isLittle ? $1 : size - 1 - $1)) }
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
    for entry in 0..<count {
      let place = directory + 2 + 12 * entry
      guard let tag = number(place, 2) else { return nil }
      if tag == 0x0112 { return number(place + 8, 2).flatMap { ImageOrientation(rawValue: UInt32($0)) } }
    }
    return nil
  }
}

extension PixelBuffer {
  /// The image rotated and mirrored to upright orientation. Planar formats are converted to 32BGRA in the process.
  public func oriented(_ orientation: ImageOrientation) throws(ImageError) -> PixelBuffer {
    if orientation == .up { return self }
    guard let size = Self.bytesPerPixel(pixelFormatType) else {
      return try converted(to: kCVPixelFormatType_32BGRA).oriented(orientation)
    }
    let isTurned = orientation.rawValue >= 5
    let result = try PixelBuffer(
      uninitializedWidth: isTurned ? height : width, height: isTurned ? width : height,
      pixelFormatType: pixelFormatType)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        cimages_orient(
          CImagesSource(bytes: source, row_bytes: bytesPerRow),
          CImagesTarget(bytes: target, row_bytes: result.bytesPerRow), size, Int32(orientation.rawValue), width, height)
      }
    }
    return result
  }
}
