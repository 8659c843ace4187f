import CTIFF
import Foundation

/// A TIFF decoder with libtiff, for the first page of a file.
///
/// libtiff decodes blocks, and this type interprets their samples. libtiff's own RGBA conversion would premultiply
/// alpha and truncate 16-bit gray.
enum TIFFPicture: PictureReader {
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    let file = try TIFFFile(bytes)
    let samples = try TIFFSamples(file.image)
    return PictureHeader(
      format: .tiff, width: Int(file.image.width), height: Int(file.image.height), orientation: file.orientation,
      hasAlpha: samples.alpha != nil, colours: samples.colours)
  }

  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?) {
    let file = try TIFFFile(bytes)
    let samples = try TIFFSamples(file.image, palette: file.palette())
    let layout = try TIFFBlocks(file.image)
    let picture = try PixelBuffer(
      uninitializedWidth: layout.width, height: layout.height, pixelFormatType: kCVPixelFormatType_32BGRA)
    let block = try TIFFMemory(layout.blockBytes)
    let bands = try TIFFMemory(layout.bandSamples)
    let each = samples.perPixel
    for band in 0..<layout.down {
      for column in 0..<layout.across {
        let part = layout.part(band, column)
        for plane in 0..<layout.planes {
          let size = layout.isTiled ? layout.blockBytes : part.height * layout.rowBytes
          try file.read(
            block: (plane * layout.down + band) * layout.across + column,
            UnsafeMutableRawBufferPointer(rebasing: block.bytes[..<size]))
          let perBlock = layout.planes == 1 ? each : 1
          for row in 0..<part.height {
            samples.unpack(
              UnsafeRawBufferPointer(rebasing: block.bytes[(row * layout.rowBytes)...]), count: part.width * perBlock,
              to: UnsafeMutableRawBufferPointer(rebasing: bands.bytes[(row * layout.blockWidth * each + plane)...]),
              step: layout.planes)
          }
        }
        for row in 0..<part.height {
          let line = UnsafeRawBufferPointer(rebasing: bands.bytes[(row * layout.blockWidth * each)...])
          let place = (part.top + row) * picture.bytesPerRow + part.left * 4
          picture.withUnsafeMutableBytes { pixels in
            samples.colour(line, count: part.width, to: UnsafeMutableRawBufferPointer(rebasing: pixels[place...]))
          }
        }
      }
    }
    return (picture, file.orientation)
  }
}

/// An open file over bytes that must stay valid.
private final class TIFFFile {
  private let file: OpaquePointer
  let image: CTIFFImage

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    var image = CTIFFImage()
    guard let base = bytes.baseAddress, let file = ctiff_open(base, bytes.count, &image) else {
      if image.isMissing != 0 {
        throw ImageError(
          .unsupported, "reading TIFF pictures needs libtiff 4.5 or later (libtiff6 in Debian), which is not installed")
      }
      throw Self.damaged(image)
    }
    self.file = file
    self.image = image
  }

  deinit { ctiff_close(file) }

  static func damaged(_ image: CTIFFImage) -> ImageError {
    let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return ImageError(.invalid, "the TIFF picture is damaged: \(text.isEmpty ? "it cannot be decoded" : text)")
  }

  var orientation: ImageOrientation? { ImageOrientation(rawValue: UInt32(image.orientation)) }

  /// Red, green and blue as 16-bit values; empty if the file has no palette.
  func palette() -> [[UInt16]] {
    guard image.bits <= 8 else { return [] }
    return withUnsafeTemporaryAllocation(of: UnsafePointer<UInt16>?.self, capacity: 3) { colours in
      colours.initialize(repeating: nil)
      guard let base = colours.baseAddress, ctiff_palette(file, base) == 0 else { return [] }
      return colours.map { $0.map { Array(UnsafeBufferPointer(start: $0, count: 1 << Int(image.bits))) } ?? [] }
    }
  }

  func read(block index: Int, _ bytes: UnsafeMutableRawBufferPointer) throws(ImageError) {
    var image = self.image
    guard let base = bytes.baseAddress, let index = UInt32(exactly: index),
      ctiff_read(file, index, base, Int64(bytes.count), &image) == 0
    else { throw Self.damaged(image) }
  }
}

/// An allocation that may fail.
private final class TIFFMemory {
  let bytes: UnsafeMutableRawBufferPointer

  init(_ count: Int) throws(ImageError) {
    guard let memory = malloc(max(count, 1)) else {
      throw ImageError(.outOfMemory, "there is no memory for the \(count) bytes of a TIFF picture's block")
    }
    bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
  }

  deinit { free(bytes.baseAddress) }
}
