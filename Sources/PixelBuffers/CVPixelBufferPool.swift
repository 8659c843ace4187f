// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import CoreMLImages
import Foundation

/// Creates images of one size and format. Each image has its own memory, freed with the image.
// Sendable: immutable
public final class CVPixelBufferPool: _CFObject, @unchecked Sendable {
  fileprivate let attributes: CFDictionary
  fileprivate let size: (width: Int, height: Int)
  fileprivate let format: OSType

  fileprivate init?(_ attributes: CFDictionary?) {
    func number(_ key: CFString) -> Int? { (attributes?[key] as? NSNumber)?.intValue ?? attributes?[key] as? Int }
    guard let attributes, let width = number(kCVPixelBufferWidthKey), let height = number(kCVPixelBufferHeightKey),
      let code = attributes[kCVPixelBufferPixelFormatTypeKey] as? OSType
        ?? number(kCVPixelBufferPixelFormatTypeKey).flatMap(OSType.init(exactly:))
    else { return nil }
    (self.attributes, size, format) = (attributes, (width, height), code)
  }
}

/// The minimum number of images that a pool keeps. Pools keep none here.
nonisolated(unsafe) public let kCVPixelBufferPoolMinimumBufferCountKey: CFString = "MinimumBufferCount"
/// How long a pool keeps unused images. Pools keep none here.
nonisolated(unsafe) public let kCVPixelBufferPoolMaximumBufferAgeKey: CFString = "MaximumBufferAge"

/// Creates a pool for images with the size and the format in the attributes.
///
/// - Returns: `kCVReturnSuccess`; `kCVReturnInvalidPixelBufferAttributes` if the size or the format is missing.
@discardableResult
public func CVPixelBufferPoolCreate(
  _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?, _ pixelBufferAttributes: CFDictionary?,
  _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
  poolOut.pointee = CVPixelBufferPool(pixelBufferAttributes)
  return poolOut.pointee == nil ? kCVReturnInvalidPixelBufferAttributes : kCVReturnSuccess
}

/// Creates an image of zeros.
///
/// - Returns: The codes of `CVPixelBufferCreate`.
@discardableResult
public func CVPixelBufferPoolCreatePixelBuffer(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  CVPixelBufferCreate(
    allocator, pixelBufferPool.size.width, pixelBufferPool.size.height, pixelBufferPool.format,
    pixelBufferPool.attributes, pixelBufferOut)
}

/// What a pool frees.
public struct CVPixelBufferPoolFlushFlags: OptionSet, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
  /// Unused images, regardless of their age.
  public static let excessBuffers = CVPixelBufferPoolFlushFlags(rawValue: 1)
}

/// Frees unused images. Pools keep none here, so it does nothing.
public func CVPixelBufferPoolFlush(_ pool: CVPixelBufferPool, _ options: CVPixelBufferPoolFlushFlags) {}

/// The maximum number of images of a pool. It has no effect here.
nonisolated(unsafe) public let kCVPixelBufferPoolAllocationThresholdKey: CFString = "BufferPoolAllocationThreshold"

/// Creates an image of zeros. The auxiliary attributes have no effect.
///
/// - Returns: The codes of `CVPixelBufferCreate`.
@discardableResult
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool, _ auxAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  CVPixelBufferPoolCreatePixelBuffer(allocator, pixelBufferPool, pixelBufferOut)
}

/// The attributes of the pool's images.
public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? { pool.attributes }
