import CoreMLImages

extension PixelBuffer {
  /// `oriented` in plain Swift. `CImages` must agree with it.
  func referenceOriented(_ orientation: ImageOrientation) throws(ImageError) -> PixelBuffer {
    if orientation == .up { return self }
    guard let size = Self.bytesPerPixel(pixelFormatType) else {
      return try referenceConverted(to: kCVPixelFormatType_32BGRA).referenceOriented(orientation)
    }
    let isTurned = orientation.rawValue >= 5
    let result = try PixelBuffer(
      width: isTurned ? height : width, height: isTurned ? width : height, pixelFormatType: pixelFormatType)
    let (right, bottom) = (width - 1, height - 1)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        for y in 0..<result.height {
          for x in 0..<result.width {
            let (column, row) =
              switch orientation {
              case .up: (x, y)
              case .upMirrored: (right - x, y)
              case .down: (right - x, bottom - y)
              case .downMirrored: (x, bottom - y)
              case .leftMirrored: (y, x)
              case .right: (y, bottom - x)
              case .rightMirrored: (right - y, bottom - x)
              case .left: (right - y, x)
              }
            let from = row * bytesPerRow + column * size
            let to = y * result.bytesPerRow + x * size
            for byte in 0..<size { target[to + byte] = source[from + byte] }
          }
        }
      }
    }
    return result
  }
}
