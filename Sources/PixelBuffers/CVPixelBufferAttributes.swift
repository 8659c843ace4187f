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

/// Whether OpenGL is to take the image, which it cannot here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLCompatibilityKey: CFString = "OpenGLCompatibility"
/// Whether OpenGL's cache of textures is to take the image, which it cannot here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLTextureCacheCompatibilityKey: CFString =
  "OpenGLTextureCacheCompatibility"
/// Whether OpenGL ES is to take the image, which it cannot here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLESCompatibilityKey: CFString = "OpenGLESCompatibility"
/// Whether the cache of textures of OpenGL ES is to take the image, which it cannot here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLESTextureCacheCompatibilityKey: CFString =
  "OpenGLESTextureCacheCompatibility"
/// Whether a shared surface is to be a texture of OpenGL. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLTextureCompatibilityKey: CFString =
  "IOSurfaceOpenGLTextureCompatibility"
/// Whether OpenGL is to draw to a shared surface. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLFBOCompatibilityKey: CFString =
  "IOSurfaceOpenGLFBOCompatibility"
/// Whether a shared surface is to be a texture of OpenGL ES. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey: CFString =
  "IOSurfaceOpenGLESTextureCompatibility"
/// Whether OpenGL ES is to draw to a shared surface. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey: CFString =
  "IOSurfaceOpenGLESFBOCompatibility"
/// Whether Core Animation is to show a shared surface. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceCoreAnimationCompatibilityKey: CFString =
  "IOSurfaceCoreAnimationCompatibility"
/// How planes are to be aligned. They are as rows are here.
nonisolated(unsafe) public let kCVPixelBufferPlaneAlignmentKey: CFString = "PlaneAlignment"
/// Who is asked for memory. There is one way to get memory here.
nonisolated(unsafe) public let kCVPixelBufferMemoryAllocatorKey: CFString = "MemoryAllocator"
/// Columns of memory to the left of the pixels. There are none here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsLeftKey: CFString = "ExtendedPixelsLeft"
/// Rows of memory above the pixels. There are none here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsTopKey: CFString = "ExtendedPixelsTop"
/// Columns of memory to the right of the pixels. There are none here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsRightKey: CFString = "ExtendedPixelsRight"
/// Rows of memory below the pixels. There are none here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsBottomKey: CFString = "ExtendedPixelsBottom"

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
