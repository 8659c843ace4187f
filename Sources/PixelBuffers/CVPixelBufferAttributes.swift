// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import Foundation

// Keys of pixel buffer attributes. Only `kCVPixelBufferBytesPerRowAlignmentKey` has an effect; sizes and formats come
// from the arguments. The others select sharing with other frameworks: here every buffer is ordinary memory of the
// process.

/// The row alignment in bytes, a power of two up to 65536.
nonisolated(unsafe) public let kCVPixelBufferBytesPerRowAlignmentKey: CFString = "BytesPerRowAlignment"
/// The pixel format. The function's argument takes precedence.
nonisolated(unsafe) public let kCVPixelBufferPixelFormatTypeKey: CFString = "PixelFormatType"
/// The width. The function's argument takes precedence.
nonisolated(unsafe) public let kCVPixelBufferWidthKey: CFString = "Width"
/// The height. The function's argument takes precedence.
nonisolated(unsafe) public let kCVPixelBufferHeightKey: CFString = "Height"
/// Whether an image can be created from it.
nonisolated(unsafe) public let kCVPixelBufferCGImageCompatibilityKey: CFString = "CGImageCompatibility"
/// Whether a context can draw to it.
nonisolated(unsafe) public let kCVPixelBufferCGBitmapContextCompatibilityKey: CFString = "CGBitmapContextCompatibility"
/// Whether Metal can use it. Linux has no Metal.
nonisolated(unsafe) public let kCVPixelBufferMetalCompatibilityKey: CFString = "MetalCompatibility"
/// How it is shared with other processes. Sharing is not supported.
nonisolated(unsafe) public let kCVPixelBufferIOSurfacePropertiesKey: CFString = "IOSurfaceProperties"

/// Whether OpenGL can use it. Not supported here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLCompatibilityKey: CFString = "OpenGLCompatibility"
/// Whether OpenGL's texture cache can use it. Not supported here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLTextureCacheCompatibilityKey: CFString =
  "OpenGLTextureCacheCompatibility"
/// Whether OpenGL ES can use it. Not supported here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLESCompatibilityKey: CFString = "OpenGLESCompatibility"
/// Whether OpenGL ES's texture cache can use it. Not supported here.
nonisolated(unsafe) public let kCVPixelBufferOpenGLESTextureCacheCompatibilityKey: CFString =
  "OpenGLESTextureCacheCompatibility"
/// Whether a shared surface is an OpenGL texture. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLTextureCompatibilityKey: CFString =
  "IOSurfaceOpenGLTextureCompatibility"
/// Whether OpenGL draws to a shared surface. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLFBOCompatibilityKey: CFString =
  "IOSurfaceOpenGLFBOCompatibility"
/// Whether a shared surface is an OpenGL ES texture. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey: CFString =
  "IOSurfaceOpenGLESTextureCompatibility"
/// Whether OpenGL ES draws to a shared surface. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey: CFString =
  "IOSurfaceOpenGLESFBOCompatibility"
/// Whether Core Animation shows a shared surface. There are no shared surfaces here.
nonisolated(unsafe) public let kCVPixelBufferIOSurfaceCoreAnimationCompatibilityKey: CFString =
  "IOSurfaceCoreAnimationCompatibility"
/// The alignment of planes. It equals the row alignment here.
nonisolated(unsafe) public let kCVPixelBufferPlaneAlignmentKey: CFString = "PlaneAlignment"
/// The memory allocator. There is only one here.
nonisolated(unsafe) public let kCVPixelBufferMemoryAllocatorKey: CFString = "MemoryAllocator"
/// Columns of memory to the left of the pixels. Always 0 here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsLeftKey: CFString = "ExtendedPixelsLeft"
/// Rows of memory above the pixels. Always 0 here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsTopKey: CFString = "ExtendedPixelsTop"
/// Columns of memory to the right of the pixels. Always 0 here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsRightKey: CFString = "ExtendedPixelsRight"
/// Rows of memory below the pixels. Always 0 here.
nonisolated(unsafe) public let kCVPixelBufferExtendedPixelsBottomKey: CFString = "ExtendedPixelsBottom"

/// The attributes with an effect.
struct PixelBufferAttributes {
  let rowAlignment: Int

  /// Nil for unsupported values.
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
