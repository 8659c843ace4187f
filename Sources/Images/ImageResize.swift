import CImages

/// How an image is fitted to another size (`VNImageCropAndScaleOption`, with its raw values).
public enum ImageCropAndScale: UInt, Sendable {
  /// The center, scaled without distortion to fill the size.
  case centerCrop = 0
  /// The whole image without distortion; the rest is black.
  case scaleFit = 1
  /// The whole image, stretched to the size.
  case scaleFill = 2
  /// As `scaleFit`, after a rotation by 90 degrees counterclockwise.
  case scaleFitRotate90CCW = 0x101
  /// As `scaleFill`, after a rotation by 90 degrees counterclockwise.
  case scaleFillRotate90CCW = 0x102
}

extension PixelBuffer {
  /// The image in another size, with bilinear interpolation. When it shrinks, every pixel contributes, through a
  /// triangle filter as wide as the step. Planar formats are converted to 32BGRA.
  public func resized(width: Int, height: Int, _ option: ImageCropAndScale = .scaleFill) throws(ImageError)
    -> PixelBuffer
  {
    guard let samples = PixelSamples(pixelFormatType) else {
      return try converted(to: kCVPixelFormatType_32BGRA).resized(width: width, height: height, option)
    }
    switch option {
    case .scaleFitRotate90CCW: return try oriented(.left).resized(width: width, height: height, .scaleFit)
    case .scaleFillRotate90CCW: return try oriented(.left).resized(width: width, height: height, .scaleFill)
    default: break
    }
    if width == self.width && height == self.height { return self }
    // Rejects invalid sizes before any computation.
    _ = try PixelLayout(width, height, pixelFormatType, rowAlignment: 1)
    let fit = ImageFit(from: (self.width, self.height), to: (width, height), option)
    let isCovered = fit.width == width && fit.height == height
    let result =
      isCovered
      ? try PixelBuffer(uninitializedWidth: width, height: height, pixelFormatType: pixelFormatType)
      : try PixelBuffer(width: width, height: height, pixelFormatType: pixelFormatType)
    if !isCovered, let alpha = samples.alpha { result.makeOpaque(alpha: alpha) }
    let columns = CImagesAxis(
      start: fit.left, length: fit.wide, size: Int32(clamping: self.width), count: Int32(clamping: fit.width))
    let rows = CImagesAxis(
      start: fit.top, length: fit.high, size: Int32(clamping: self.height), count: Int32(clamping: fit.height))
    let isResized = withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return false }
        let place = fit.y * result.bytesPerRow + fit.x * samples.bytesPerPixel
        return cimages_resize(
          CImagesSource(bytes: source, row_bytes: bytesPerRow),
          CImagesTarget(bytes: target + place, row_bytes: result.bytesPerRow), samples.kind, columns, rows,
          CIMAGES_WIDEST)
      }
    }
    guard isResized else {
      throw ImageError(
        .outOfMemory,
        "there is no memory to make an image of \(self.width) x \(self.height) pixels one of \(width) x \(height)")
    }
    return result
  }

  /// Sets byte `alpha` of each 4-byte pixel to opaque.
  private func makeOpaque(alpha: Int) {
    withUnsafeMutableBytes { bytes in
      for place in stride(from: alpha, to: bytes.count, by: 4) { bytes[place] = 255 }
    }
  }

  /// The image in another size and format.
  ///
  /// - Throws: `ImageError` if the conversion is impossible.
  package func fitted(
    width: Int, height: Int, pixelFormatType format: UInt32, _ option: ImageCropAndScale
  ) throws(ImageError) -> PixelBuffer {
    let turns = option == .scaleFitRotate90CCW || option == .scaleFillRotate90CCW
    if !turns, self.width == width, self.height == height { return try converted(to: format) }
    let isFloat = PixelFormat(pixelFormatType)?.isFloat ?? false
    let source = isFloat ? self : try converted(to: kCVPixelFormatType_32BGRA)
    return try source.resized(width: width, height: height, option).converted(to: format)
  }
}

/// The source and target rectangles of a resize.
private struct ImageFit {
  /// The source rectangle.
  private(set) var (left, top) = (0.0, 0.0)
  private(set) var (wide, high): (Double, Double)
  /// The target rectangle.
  private(set) var (x, y) = (0, 0)
  private(set) var (width, height): (Int, Int)

  init(from source: (width: Int, height: Int), to target: (width: Int, height: Int), _ option: ImageCropAndScale) {
    (wide, high) = (Double(source.width), Double(source.height))
    (width, height) = target
    let scale = (x: Double(width) / wide, y: Double(height) / high)
    switch option {
    case .centerCrop:
      let factor = max(scale.x, scale.y)
      let (cropped, tall) = (Double(width) / factor, Double(height) / factor)
      (left, top) = ((wide - cropped) / 2, (high - tall) / 2)
      (wide, high) = (cropped, tall)
    case .scaleFit:
      let factor = min(scale.x, scale.y)
      width = max(Int((wide * factor).rounded()), 1)
      height = max(Int((high * factor).rounded()), 1)
      (x, y) = ((target.width - width) / 2, (target.height - height) / 2)
    default: break
    }
  }
}

/// The sample type of a resize.
private struct PixelSamples {
  let kind: CImagesSamples
  let bytesPerPixel: Int
  /// The index of the alpha byte in a pixel.
  private(set) var alpha: Int?

  /// Nil for planar and unknown formats.
  init?(_ code: UInt32) {
    guard let format = PixelFormat(code), let size = format.bytesPerPixel else { return nil }
    bytesPerPixel = size
    switch format {
    case .colour(_, _, _, let alpha): (kind, self.alpha) = (CIMAGES_COLOUR8, alpha)
    case .gray16Half: kind = CIMAGES_GRAY_FP16
    case .gray32Float: kind = CIMAGES_GRAY_FP32
    default: kind = CIMAGES_GRAY8
    }
  }
}
