import CGIF
import CImages

/// A GIF decoder with giflib. It decodes the first frame of an animation. Canvas outside the frame and transparent
/// pixels get alpha 0.
enum GIFPicture: PictureReader {
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    try GIFFile.reading(bytes) { file throws(ImageError) in
      let (width, height) = (Int(file.pointee.SWidth), Int(file.pointee.SHeight))
      let frame = try GIFFile.firstFrame(file)
      return PictureHeader(
        format: .gif, width: width, height: height, orientation: nil,
        hasAlpha: frame.transparent != nil || frame.width < width || frame.height < height, colours: .rgb)
    }
  }

  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?) {
    let picture = try GIFFile.reading(bytes) { file throws(ImageError) in
      let (width, height) = (Int(file.pointee.SWidth), Int(file.pointee.SHeight))
      let frame = try GIFFile.firstFrame(file)
      let buffer = try PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
      let palette = frame.palette
      var line = [UInt8](repeating: 0, count: frame.width)
      for row in frame.rows {
        guard DGifGetLine(file, &line, Int32(frame.width)) == GIF_OK else { throw GIFFile.damaged(file.pointee.Error) }
        // Decoders differ for an index outside the palette, so it is an error.
        guard frame.colours.count > 255 || line.allSatisfy({ Int($0) < frame.colours.count }) else {
          throw GIFFile.damaged("a pixel has a colour that the palette has not")
        }
        buffer.withUnsafeMutableBytes { pixels in
          guard let target = pixels.baseAddress else { return }
          let place = (frame.top + row) * buffer.bytesPerRow + frame.left * 4
          cimages_look_up(line, palette, target + place, frame.width)
        }
      }
      return buffer
    }
    return (picture, nil)
  }
}

private enum GIFFile {
  /// Bytes that are read sequentially.
  private struct Source {
    let bytes: UnsafeRawBufferPointer
    var place = 0
  }

  /// The position of a frame, and its colors.
  struct Frame {
    let left: Int
    let top: Int
    let width: Int
    let colours: [GifColorType]
    let transparent: Int?
    let height: Int
    let isInterlaced: Bool

    /// Blue, green, red and alpha of each index, from the lowest byte up.
    var palette: [UInt32] {
      var palette = [UInt32](repeating: 0, count: 256)
      for (index, colour) in colours.prefix(256).enumerated() {
        let alpha: UInt32 = transparent == index ? 0 : 255
        palette[index] = UInt32(colour.Blue) | UInt32(colour.Green) << 8 | UInt32(colour.Red) << 16 | alpha << 24
      }
      return palette
    }

    /// Row numbers in storage order.
    var rows: [Int] {
      guard isInterlaced else { return Array(0..<height) }
      return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: height, by: $1)) }
    }
  }

  static func damaged(_ text: String) -> ImageError { ImageError(.invalid, "the GIF picture is damaged: \(text)") }

  static func damaged(_ code: Int32) -> ImageError {
    damaged(GifErrorString(code).map { String(cString: $0).lowercased() } ?? "error \(code)")
  }

  static func reading<Result>(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeMutablePointer<GifFileType>) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    let source = UnsafeMutablePointer<Source>.allocate(capacity: 1)
    source.initialize(to: Source(bytes: bytes))
    defer { source.deallocate() }
    var code: Int32 = 0
    let read: InputFunc = { file, target, count in
      guard let source = file?.pointee.UserData?.assumingMemoryBound(to: Source.self), let target, count > 0 else {
        return 0
      }
      let from = source.pointee.place
      let length = min(Int(count), source.pointee.bytes.count - from)
      UnsafeMutableRawBufferPointer(start: target, count: length).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: source.pointee.bytes[from..<(from + length)]))
      source.pointee.place += length
      return Int32(length)
    }
    guard let file = DGifOpen(source, read, &code) else { throw damaged(code) }
    defer { _ = DGifCloseFile(file, &code) }
    return try body(file)
  }

  /// Advances to the pixels of the first frame.
  static func firstFrame(_ file: UnsafeMutablePointer<GifFileType>) throws(ImageError) -> Frame {
    var transparent: Int?
    while true {
      var kind = UNDEFINED_RECORD_TYPE
      guard DGifGetRecordType(file, &kind) == GIF_OK else { throw damaged(file.pointee.Error) }
      switch kind {
      case EXTENSION_RECORD_TYPE: try skipExtension(file, &transparent)
      case IMAGE_DESC_RECORD_TYPE: return try frame(file, transparent)
      default: throw damaged("there is no frame in it")
      }
    }
  }

  /// Skips an extension, and reads the transparent color from it.
  private static func skipExtension(
    _ file: UnsafeMutablePointer<GifFileType>, _ transparent: inout Int?
  ) throws(ImageError) {
    var code: Int32 = 0
    var part: UnsafeMutablePointer<GifByteType>?
    guard DGifGetExtension(file, &code, &part) == GIF_OK else { throw damaged(file.pointee.Error) }
    if code == GRAPHICS_EXT_FUNC_CODE, let part {
      var control = GraphicsControlBlock()
      guard DGifExtensionToGCB(Int(part[0]), part + 1, &control) == GIF_OK else {
        throw damaged("its graphics control is of another size")
      }
      transparent = control.TransparentColor == NO_TRANSPARENT_COLOR ? nil : Int(control.TransparentColor)
    }
    while part != nil {
      guard DGifGetExtensionNext(file, &part) == GIF_OK else { throw damaged(file.pointee.Error) }
    }
  }

  private static func frame(
    _ file: UnsafeMutablePointer<GifFileType>, _ transparent: Int?
  ) throws(ImageError) -> Frame {
    guard DGifGetImageDesc(file) == GIF_OK else { throw damaged(file.pointee.Error) }
    let image = file.pointee.Image
    guard let map = (image.ColorMap ?? file.pointee.SColorMap)?.pointee, let colours = map.Colors, map.ColorCount > 0
    else { throw damaged("there is no palette in it") }
    guard image.Width > 0, image.Height > 0, image.Left >= 0, image.Top >= 0,
      Int(image.Left) + Int(image.Width) <= Int(file.pointee.SWidth),
      Int(image.Top) + Int(image.Height) <= Int(file.pointee.SHeight)
    else { throw damaged("the first frame is not within the canvas") }
    return Frame(
      left: Int(image.Left), top: Int(image.Top), width: Int(image.Width),
      colours: Array(UnsafeBufferPointer(start: colours, count: Int(map.ColorCount))), transparent: transparent,
      height: Int(image.Height), isInterlaced: image.Interlace)
  }
}
