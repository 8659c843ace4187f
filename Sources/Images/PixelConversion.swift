import CImages

extension PixelBuffer {
  /// The image in another pixel format.
  ///
  /// Gray from colors is the luma of ITU-R BT.601, rounded to integers from 0 to 255, also for floating-point gray.
  /// `VideoColour` defines the conversion of video formats; each 2 x 2 pixels share the chroma of their mean color.
  /// Floating-point gray has no white point, so it converts only to floating-point gray of the other precision.
  ///
  /// - Throws: `ImageError`, `unsupported` for floating-point gray to any other format, and for unknown formats.
  public func converted(to code: UInt32) throws(ImageError) -> PixelBuffer {
    if code == pixelFormatType { return self }
    guard let from = PixelFormat(pixelFormatType), let format = PixelFormat(code), !from.isFloat || format.isFloat
    else {
      throw ImageError(
        .unsupported,
        "pixels of format \(PixelFormat.name(pixelFormatType)) are not made into pixels of format \(PixelFormat.name(code))"
      )
    }
    let result = try PixelBuffer(uninitializedWidth: width, height: height, pixelFormatType: code)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        switch (from, format) {
        case (_, .video(let isFullRange)):
          copyVideo(from: source, from, to: target, of: result, VideoColour(isFullRange: isFullRange))
        case (.gray16Half, _), (.gray32Float, _), (.gray8, _):
          for y in 0..<height {
            Self.copyGray(source + y * bytesPerRow, from, to: target + y * result.bytesPerRow, format, count: width)
          }
        default: copyColours(source, from, to: target, bytesPerRow: result.bytesPerRow, format)
        }
      }
    }
    return result
  }

  /// Converts a row of gray to another gray format, or to colors.
  private static func copyGray(
    _ row: UnsafeRawPointer, _ from: PixelFormat, to target: UnsafeMutableRawPointer, _ format: PixelFormat, count: Int
  ) {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    switch (from, format) {
    case (.gray16Half, _): cimages_fp32_of_fp16(row, target, count)
    case (.gray32Float, _): cimages_fp16_of_fp32(row, target, count)
    case (_, .gray16Half): cimages_fp16_of_bytes(bytes, target, count)
    case (_, .gray32Float): cimages_fp32_of_bytes(bytes, target, count)
    default: cimages_colours_of_gray(bytes, target, format.order, count)
    }
  }

  /// Converts colors in one or two planes to another channel order, or to gray.
  private func copyColours(
    _ source: UnsafeRawPointer, _ from: PixelFormat, to target: UnsafeMutableRawPointer, bytesPerRow rowBytes: Int,
    _ format: PixelFormat
  ) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width * 5) { scratch in
      guard let rgba = scratch.baseAddress else { return }
      let luma = rgba + width * 4
      for y in 0..<height {
        let place = target + y * rowBytes
        var (pixels, order) = (UnsafeRawPointer(rgba), CImagesOrder.rgba)
        if case .colour = from {
          (pixels, order) = (source + y * bytesPerRow, from.order)
        } else {
          readRGBA(row: y, of: source, from, into: rgba)
        }
        switch format {
        case .gray8: cimages_gray_of_colours(pixels, order, place.assumingMemoryBound(to: UInt8.self), width)
        case .gray16Half, .gray32Float:
          cimages_gray_of_colours(pixels, order, luma, width)
          Self.copyGray(luma, .gray8, to: place, format, count: width)
        default: cimages_reorder(pixels, order, place, format.order, width)
        }
      }
    }
  }

  /// Converts a row of a format that is not floating-point to red, green, blue and alpha.
  private func readRGBA(
    row y: Int, of source: UnsafeRawPointer, _ format: PixelFormat, into line: UnsafeMutablePointer<UInt8>
  ) {
    let row = source + y * bytesPerRow
    switch format {
    case .colour: cimages_reorder(row, format.order, line, .rgba, width)
    case .video(let isFullRange):
      let differences = source + planes[1].offset + y / 2 * planes[1].bytesPerRow
      cimages_rgba_of_video(
        VideoColour(isFullRange: isFullRange).scales,
        (source + planes[0].offset + y * bytesPerRow).assumingMemoryBound(to: UInt8.self),
        differences.assumingMemoryBound(to: UInt8.self), line, width)
    default: Self.copyGray(row, format, to: line, .rgba, count: width)
    }
  }

  /// Writes luma and chroma, two rows at a time.
  private func copyVideo(
    from source: UnsafeRawPointer, _ from: PixelFormat, to target: UnsafeMutableRawPointer, of result: PixelBuffer,
    _ colours: VideoColour
  ) {
    let (luma, pairs) = (result.planes[0], result.planes[1])
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width * 8) { scratch in
      guard let upper = scratch.baseAddress else { return }
      for y in stride(from: 0, to: height, by: 2) {
        // With an odd number of rows, the last row has its own chroma.
        let lower = y + 1 < height ? upper + width * 4 : upper
        for (row, line) in [(y, upper), (y + 1, lower)] where row < height {
          readRGBA(row: row, of: source, from, into: line)
          let place = target + luma.offset + row * luma.bytesPerRow
          cimages_luma_of_rgba(colours.scales, line, place.assumingMemoryBound(to: UInt8.self), width)
        }
        let place = target + pairs.offset + y / 2 * pairs.bytesPerRow
        cimages_differences_of_rgba(colours.scales, upper, lower, place.assumingMemoryBound(to: UInt8.self), width)
      }
    }
  }
}

extension PixelFormat {
  fileprivate static let rgba = PixelFormat.colour(red: 0, green: 1, blue: 2, alpha: 3)

  /// The channel order of 4-byte pixels. Not used for other formats.
  fileprivate var order: CImagesOrder {
    guard case .colour(let red, let green, let blue, let alpha) = self else { return CImagesOrder() }
    return CImagesOrder(red: UInt8(red), green: UInt8(green), blue: UInt8(blue), alpha: UInt8(alpha))
  }
}

extension CImagesOrder {
  static let bgra = CImagesOrder(red: 2, green: 1, blue: 0, alpha: 3)
  static let rgba = CImagesOrder(red: 0, green: 1, blue: 2, alpha: 3)
}
