import CoreMLImages
import Foundation
import MIL

/// Pixels to a tensor of planes and back: (..., C, H, W), values 0 to 255 (or half-precision gray as it is), channels in the
/// order the model declares.
struct ImageTensor {
  let name: String
  let type: TensorType
  /// Blue comes first.
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
    case kCVPixelFormatType_OneComponent8 where isGray: fill(image, target) { $0[$1] }
    case kCVPixelFormatType_OneComponent16Half where isGray:
      image.withUnsafeBytes { bytes in
        for y in 0..<image.height {
          for x in 0..<image.width {
            target[y * image.width + x] = Float(
              bytes.loadUnaligned(fromByteOffset: y * image.bytesPerRow + x * 2, as: Float16.self))
          }
        }
      }
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

  private func fill(
    _ image: PixelBuffer, _ target: UnsafeMutablePointer<Float>, _ pixel: (UnsafeRawBufferPointer, Int) -> UInt8
  ) {
    image.withUnsafeBytes { bytes in
      for y in 0..<image.height {
        for x in 0..<image.width { target[y * image.width + x] = Float(pixel(bytes, y * image.bytesPerRow + x)) }
      }
    }
  }

  private func fill(_ image: PixelBuffer, _ target: UnsafeMutablePointer<Float>, order: [Int]) {
    let plane = image.width * image.height
    image.withUnsafeBytes { bytes in
      for y in 0..<image.height {
        for x in 0..<image.width {
          let pixel = y * image.bytesPerRow + x * 4
          let place = y * image.width + x
          target[place] = Float(bytes[pixel + order[0]])
          target[plane + place] = Float(bytes[pixel + order[1]])
          target[2 * plane + place] = Float(bytes[pixel + order[2]])
        }
      }
    }
  }

  /// A picture of a tensor: values are clamped to 0...255 and rounded; half-precision gray keeps them. It is written to `backing`
  /// where one is given.
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
    let plane = size[1] * size[2]
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<size[1] {
        for x in 0..<size[2] {
          let place = y * size[2] + x
          switch format {
          case kCVPixelFormatType_OneComponent8: bytes[y * buffer.bytesPerRow + x] = Self.byte(source[place])
          case kCVPixelFormatType_OneComponent16Half:
            bytes.storeBytes(of: Float16(source[place]), toByteOffset: y * buffer.bytesPerRow + x * 2, as: Float16.self)
          default:
            let pixel = y * buffer.bytesPerRow + x * 4
            let blue = isBGR ? 0 : 2
            bytes[pixel] = Self.byte(source[blue * plane + place])
            bytes[pixel + 1] = Self.byte(source[plane + place])
            bytes[pixel + 2] = Self.byte(source[(2 - blue) * plane + place])
            bytes[pixel + 3] = 255
          }
        }
      }
    }
    withExtendedLifetime(planes) {}
    return buffer
  }

  private static func byte(_ value: Float) -> UInt8 {
    value.isNaN ? 0 : UInt8(min(max(value.rounded(.toNearestOrEven), 0), 255))
  }
}
