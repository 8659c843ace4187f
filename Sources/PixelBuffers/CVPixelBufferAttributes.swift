// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import Foundation

// Keys of the attributes with which pixel buffers are made. `kCVPixelBufferBytesPerRowAlignmentKey` has its effect; sizes and formats are those
// of the arguments. The others say with what a buffer is to be shared: every buffer here is memory of the process, which everything can read.

/// At multiples of how many bytes rows begin, a power of two up to 65536.
nonisolated(unsafe) public let kCVPixelBufferBytesPerRowAlignmentKey: CFString = "BytesPerRowAlignment"
/// The pixel format. The function's argument is what counts.
nonisolated(unsafe) public let kCVPixelBufferPixelFormatTypeKey: CFString = "PixelFormatType"
/// The width. The function's argument is what counts.
nonisolated(unsafe) public let kCVPixelBufferWidthKey: CFString = "Width"
/// The height. The function's argument is what counts.
nonisolated(unsafe) public let kCVPixelBufferHeightKey: CFString = "Height"
/// Whether a picture can be made of it.
nonisolated(unsafe) public let kCVPixelBufferCGImageCompatibilityKey: CFString = "CGImageCompatibility"
/// Whether it can be drawn to.
nonisolated(unsafe) public let kCVPixelBufferCGBitmapContextCompatibilityKey: CFString = "CGBitmapContextCompatibility"
/// Whether it is shared with Metal, which Linux does not have.
nonisolated(unsafe) public let kCVPixelBufferMetalCompatibilityKey: CFString = "MetalCompatibility"
/// How it is shared with other processes. It is not.
nonisolated(unsafe) public let kCVPixelBufferIOSurfacePropertiesKey: CFString = "IOSurfaceProperties"

/// What attributes ask for.
struct PixelBufferAttributes {
  let rowAlignment: Int

  /// Nil where they ask for what cannot be had.
  init?(_ attributes: CFDictionary?) {
    guard let given = attributes?[kCVPixelBufferBytesPerRowAlignmentKey] else {
      rowAlignment = 1
      return
    }
    guard let number = (given as? NSNumber)?.intValue ?? (given as? Int), (1...(1 << 16)).contains(number),
      number.nonzeroBitCount == 1
    else { return nil }
    rowAlignment = number
  }
}
/// Whether OpenGL is to take the image, which it cannot here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLCompatibilityKey: CFString = "OpenGLCompatibility"
/// How planes are to be aligned. They are as rows are here.
nonisolated(unsafe) public let kCVPixelBufferPlaneAlignmentKey: CFString = "PlaneAlignment"
