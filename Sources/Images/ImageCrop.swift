extension PixelBuffer {
  /// The part inside a rectangle in fractions of the size, from the top left corner.
  public func cropped(x: Double, y: Double, width: Double, height: Double) throws(ImageError) -> PixelBuffer {
    guard x >= 0, y >= 0, width > 0, height > 0, x + width <= 1, y + height <= 1 else {
      throw ImageError(.invalid, "a crop rectangle of (\(x), \(y), \(width), \(height)) is not within the picture")
    }
    // The pixel that contains the edge. The tolerance covers rounding errors of fractions that mean a pixel boundary.
    let left = min(Int(x * Double(self.width) + 1e-6), self.width - 1)
    let top = min(Int(y * Double(self.height) + 1e-6), self.height - 1)
    return try cropped(
      left: left, top: top, width: min(max(Int((width * Double(self.width)).rounded()), 1), self.width - left),
      height: min(max(Int((height * Double(self.height)).rounded()), 1), self.height - top))
  }

  /// The part inside a rectangle of pixels. Planar formats are converted to 32BGRA.
  package func cropped(left: Int, top: Int, width: Int, height: Int) throws(ImageError) -> PixelBuffer {
    guard left >= 0, top >= 0, width > 0, height > 0, width <= self.width, height <= self.height,
      left <= self.width - width, top <= self.height - height
    else {
      throw ImageError(
        .invalid,
        "a part of \(width) x \(height) pixels at (\(left), \(top)) is not within \(self.width) x \(self.height) pixels"
      )
    }
    guard let size = Self.bytesPerPixel(pixelFormatType) else {
      return try converted(to: kCVPixelFormatType_32BGRA).cropped(left: left, top: top, width: width, height: height)
    }
    let result = try PixelBuffer(uninitializedWidth: width, height: height, pixelFormatType: pixelFormatType)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        for row in 0..<height {
          let from = (top + row) * bytesPerRow + left * size
          let line = UnsafeRawBufferPointer(rebasing: source[from..<(from + width * size)])
          UnsafeMutableRawBufferPointer(rebasing: target[(row * result.bytesPerRow)...]).copyMemory(from: line)
        }
      }
    }
    return result
  }
}
