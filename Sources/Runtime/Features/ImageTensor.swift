import CImages
import CoreMLBase
import CoreMLImages
import Foundation
import MIL

/// Converts images to planar tensors (..., C, H, W) and back. Values are 0 to 255; fp16 grayscale values are unchanged.
/// The channels have the order that the model declares.
struct ImageTensor {
  let name: String
  let type: TensorType
  /// Whether the first channel is blue.
  var isBGR = false

  func tensor(_ image: PixelBuffer) throws -> Tensor {
    guard type.rank >= 3 else { throw RuntimeError(.invalidModel, "input '\(name)' is an image and a tensor \(type)") }
    let lead = Array(repeating: 1, count: type.rank - 3)
    let isGray = type.shape[type.rank - 3].value == 1
    let shape = lead + [isGray ? 1 : 3, image.height, image.width]
    guard zip(type.shape, shape).allSatisfy({ $0.agrees(with: MIL.Dimension($1)) }) else {
      throw RuntimeError(
        .invalidInput, "input '\(name)' is an image of \(image.width) x \(image.height) pixels, the model takes \(type)"
      )
    }
    let planes = try Tensor.zeros(.float32, shape: shape)
    guard let target = planes.storage.mutablePointer?.assumingMemoryBound(to: Float.self) else { return planes }
    switch image.pixelFormatType {
    case kCVPixelFormatType_OneComponent8 where isGray:
      rows(of: image) { cimages_fp32_of_bytes($0.assumingMemoryBound(to: UInt8.self), target + $1, image.width) }
    case kCVPixelFormatType_OneComponent16Half where isGray:
      rows(of: image) { cimages_fp32_of_fp16($0, target + $1, image.width) }
    case kCVPixelFormatType_32BGRA where !isGray: fill(image, target, order: isBGR ? [0, 1, 2] : [2, 1, 0])
    case kCVPixelFormatType_32ARGB where !isGray: fill(image, target, order: isBGR ? [3, 2, 1] : [1, 2, 3])
    default:
      throw RuntimeError(
        .invalidInput,
        "input '\(name)' has the pixel format \(PixelFormat.name(image.pixelFormatType)), "
          + "\(isGray ? "gray ('L008', 'L00h')" : "colour ('BGRA', 32ARGB)") is expected")
    }
    return try Casting.converted(planes, to: type.scalar)
  }

  /// Calls `body` with each row of an image and the index of the row's first pixel in a plane.
  private func rows(of image: PixelBuffer, _ body: (UnsafeRawPointer, Int) -> Void) {
    image.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      for y in 0..<image.height { body(first + y * image.bytesPerRow, y * image.width) }
    }
  }

  private func fill(_ image: PixelBuffer, _ target: UnsafeMutablePointer<Float>, order: [UInt8]) {
    image.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      let source = CImagesSource(bytes: first, row_bytes: image.bytesPerRow)
      cimages_planes_of_colours(source, order, target, image.width, image.height)
    }
  }

  /// Creates an image from a tensor. Values are rounded and clamped to 0...255; fp16 grayscale values are unchanged.
  /// The image is written to `backing` unless that is nil.
  func image(_ tensor: Tensor, format: UInt32, backing: PixelBuffer? = nil) throws -> PixelBuffer {
    guard tensor.rank >= 3 else {
      throw RuntimeError(.evaluation, "output '\(name)' is an image and has the shape \(tensor.shape)")
    }
    let size = tensor.shape.suffix(3).map { $0 }
    let isGray = format != kCVPixelFormatType_32BGRA
    guard size[0] == (isGray ? 1 : 3), tensor.count == size.reduce(1, *) else {
      throw RuntimeError(.evaluation, "output '\(name)' is an image and has the shape \(tensor.shape)")
    }
    let buffer = try backing ?? PixelBuffer(width: size[2], height: size[1], pixelFormatType: format)
    guard buffer.width == size[2], buffer.height == size[1], buffer.pixelFormatType == format else {
      throw OutputBinding.refusedBacking(
        "the backing of output '\(name)' is an image of \(buffer.width) x \(buffer.height) pixels of format "
          + "\(buffer.pixelFormatType), expected \(size[2]) x \(size[1]) pixels of format \(format)")
    }
    let planes = try Casting.converted(tensor, to: .float32)
    let source = planes.storage.pointer.assumingMemoryBound(to: Float.self)
    buffer.withUnsafeMutableBytes { bytes in
      guard let target = bytes.baseAddress else { return }
      write(source, to: target, of: buffer)
    }
    withExtendedLifetime(planes) {}
    return buffer
  }

  private func write(_ source: UnsafePointer<Float>, to target: UnsafeMutableRawPointer, of buffer: PixelBuffer) {
    let (width, height) = (buffer.width, buffer.height)
    guard buffer.pixelFormatType == kCVPixelFormatType_32BGRA else {
      for y in 0..<height {
        let (line, row) = (source + y * width, target + y * buffer.bytesPerRow)
        if buffer.pixelFormatType == kCVPixelFormatType_OneComponent16Half {
          cimages_fp16_of_fp32(line, row, width)
        } else {
          cimages_bytes_of_fp32(line, row.assumingMemoryBound(to: UInt8.self), width)
        }
      }
      return
    }
    let plane = width * height
    let (red, blue) = (isBGR ? source + 2 * plane : source, isBGR ? source : source + 2 * plane)
    cimages_colours_of_planes(
      blue, source + plane, red, CImagesTarget(bytes: target, row_bytes: buffer.bytesPerRow), width, height)
  }
}
