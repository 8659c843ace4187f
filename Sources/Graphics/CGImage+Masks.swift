import CoreMLImages
import Foundation

extension CGImage {
  /// Creates a mask with a copy of samples of 1, 2, 4 or 8 bits. The smallest sample paints the fill color, the largest
  /// does not. `decode`, two numbers from 0 to 1, maps the samples.
  ///
  /// Nil for other sample sizes, for pixels with several samples, and if the provider has fewer bytes than the rows
  /// need.
  public convenience init?(
    maskWidth width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int,
    provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool
  ) {
    guard [1, 2, 4, 8].contains(bitsPerComponent), bitsPerPixel == bitsPerComponent, let data = provider.data as Data?,
      let mask = try? PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_OneComponent8)
    else { return nil }
    let least = (width * bitsPerComponent + 7) / 8
    let (before, overflows) = bytesPerRow.multipliedReportingOverflow(by: height - 1)
    guard bytesPerRow >= least, !overflows, before <= data.count - least else { return nil }
    let greatest = (1 << bitsPerComponent) - 1
    let (low, high) = (Double(decode?[0] ?? 0), Double(decode?[1] ?? 1))
    guard low.isFinite, high.isFinite, (high - low).isFinite else { return nil }
    let bytes = (0...greatest).map { sample in
      UInt8(min(max((low + (high - low) * Double(sample) / Double(greatest)) * 255, 0), 255).rounded())
    }
    data.withUnsafeBytes { source in
      mask.withUnsafeMutableBytes { target in
        for row in 0..<height {
          for column in 0..<width {
            let bit = column * bitsPerComponent
            let byte = Int(source[row * bytesPerRow + bit / 8])
            let sample = byte >> (8 - bitsPerComponent - bit % 8) & greatest
            target[row * mask.bytesPerRow + column] = bytes[sample]
          }
        }
      }
    }
    self.init(mask: mask)
  }

  /// The image with its alpha multiplied by a mask, in the size of this image. A mask is open where it is black, a gray
  /// image without alpha where it is white. Nil if `mask` is neither, or this image is itself a mask.
  public func masking(_ mask: CGImage) -> CGImage? {
    guard !isMask, mask.pixelBuffer.pixelFormatType == kCVPixelFormatType_OneComponent8,
      let shares = try? mask.pixelBuffer.resized(width: width, height: height),
      let picture = try? pixelBuffer.converted(to: kCVPixelFormatType_32RGBA),
      let result = try? picture.cropped(left: 0, top: 0, width: width, height: height)
    else { return nil }
    let sharesPerRow = shares.bytesPerRow
    shares.withUnsafeBytes { shares in
      result.withUnsafeMutableBytes { pixels in
        for row in 0..<height {
          for column in 0..<width {
            let sample = Int(shares[row * sharesPerRow + column])
            let place = row * result.bytesPerRow + column * 4 + 3
            pixels[place] = UInt8((Int(pixels[place]) * (mask.isMask ? 255 - sample : sample) + 127) / 255)
          }
        }
      }
    }
    return CGImage(result)
  }
}
