import CWebP

/// A WebP decoder with libwebp. It decodes the first frame of an animation, at its position on the canvas.
enum WebPPicture: PictureReader {
  static func header(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureHeader {
    let file = try WebPFile(bytes)
    return PictureHeader(
      format: .webp, width: file.width, height: file.height, orientation: file.orientation,
      hasAlpha: file.flags & ALPHA_FLAG.rawValue != 0, colours: .rgb)
  }

  static func pixels(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> (PixelBuffer, ImageOrientation?) {
    let file = try WebPFile(bytes)
    return (try file.firstFrame(), file.orientation)
  }
}

/// The parts of a file. The bytes must stay valid.
private final class WebPFile {
  private let demuxer: OpaquePointer
  let width: Int
  let height: Int
  let flags: UInt32

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    var data = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
    guard let demuxer = WebPDemux(&data) else { throw Self.damaged("its parts are not whole") }
    self.demuxer = demuxer
    width = Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH))
    height = Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT))
    flags = WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS)
  }

  deinit { WebPDemuxDelete(demuxer) }

  static func damaged(_ text: String) -> ImageError { ImageError(.invalid, "the WebP picture is damaged: \(text)") }

  var orientation: ImageOrientation? {
    var chunk = WebPChunkIterator()
    guard WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk) != 0 else { return nil }
    defer { WebPDemuxReleaseChunkIterator(&chunk) }
    return ImageOrientation(exif: UnsafeRawBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
  }

  func firstFrame() throws(ImageError) -> PixelBuffer {
    var frame = WebPIterator()
    guard WebPDemuxGetFrame(demuxer, 1, &frame) != 0 else { throw Self.damaged("there is no frame in it") }
    defer { WebPDemuxReleaseIterator(&frame) }
    let (left, top) = (Int(frame.x_offset), Int(frame.y_offset))
    guard frame.complete != 0, left >= 0, top >= 0, frame.width > 0, frame.height > 0,
      left + Int(frame.width) <= width, top + Int(frame.height) <= height
    else { throw Self.damaged("the first frame is not whole") }
    // Canvas outside a smaller frame is zero.
    let isCovered = Int(frame.width) == width && Int(frame.height) == height
    let buffer =
      isCovered
      ? try PixelBuffer(uninitializedWidth: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
      : try PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else { throw ImageError(.unsupported, "libwebp is of another version") }
    guard WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &config.input) == VP8_STATUS_OK,
      config.input.width == frame.width, config.input.height == frame.height
    else { throw Self.damaged("the first frame is of another size") }
    let offset = top * buffer.bytesPerRow + left * 4
    let status = buffer.withUnsafeMutableBytes { pixels in
      config.output.colorspace = MODE_BGRA
      config.output.is_external_memory = 1
      config.output.u.RGBA.rgba = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: offset)
      config.output.u.RGBA.stride = Int32(buffer.bytesPerRow)
      config.output.u.RGBA.size = pixels.count - offset
      return WebPDecode(frame.fragment.bytes, frame.fragment.size, &config)
    }
    switch status {
    case VP8_STATUS_OK: return buffer
    case VP8_STATUS_OUT_OF_MEMORY:
      throw ImageError(.outOfMemory, "there is no memory for a WebP picture of \(width) x \(height) pixels")
    case VP8_STATUS_UNSUPPORTED_FEATURE: throw ImageError(.unsupported, "the WebP picture is of an unknown kind")
    case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: throw Self.damaged("it is cut short")
    default: throw Self.damaged("its pixels are not encoded as WebP has them")
    }
  }
}
