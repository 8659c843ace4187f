// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import CoreMLImages
import Foundation

/// Makes images of one size and format. Each has memory of its own, which is free when the image is gone.
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

/// How many images a pool keeps at least. Pools here keep none.
nonisolated(unsafe) public let kCVPixelBufferPoolMinimumBufferCountKey: CFString = "MinimumBufferCount"
/// How long a pool keeps images that nobody uses. Pools here keep none.
nonisolated(unsafe) public let kCVPixelBufferPoolMaximumBufferAgeKey: CFString = "MaximumBufferAge"

/// Makes a pool for images of the size and the format that attributes name.
///
/// - Returns: `kCVReturnSuccess`; `kCVReturnInvalidPixelBufferAttributes` where the size or the format is missing.
@discardableResult
public func CVPixelBufferPoolCreate(
  _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?, _ pixelBufferAttributes: CFDictionary?,
  _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
  poolOut.pointee = CVPixelBufferPool(pixelBufferAttributes)
  return poolOut.pointee == nil ? kCVReturnInvalidPixelBufferAttributes : kCVReturnSuccess
}

/// Makes an image of zeros.
///
/// - Returns: what `CVPixelBufferCreate` returns.
@discardableResult
public func CVPixelBufferPoolCreatePixelBuffer(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  CVPixelBufferCreate(
    allocator, pixelBufferPool.size.width, pixelBufferPool.size.height, pixelBufferPool.format,
    pixelBufferPool.attributes, pixelBufferOut)
}

/// What a pool is to free.
public struct CVPixelBufferPoolFlushFlags: OptionSet, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
  /// Images that nobody uses, however young they are.
  public static let excessBuffers = CVPixelBufferPoolFlushFlags(rawValue: 1)
}

/// Frees what nobody uses, which pools here do at once.
public func CVPixelBufferPoolFlush(_ pool: CVPixelBufferPool, _ options: CVPixelBufferPoolFlushFlags) {}

/// How many images a pool may have at once. Pools here count none.
nonisolated(unsafe) public let kCVPixelBufferPoolAllocationThresholdKey: CFString = "BufferPoolAllocationThreshold"

/// Makes an image of zeros. What is said besides of how pools keep images has no effect.
///
/// - Returns: what `CVPixelBufferCreate` returns.
@discardableResult
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool, _ auxAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  CVPixelBufferPoolCreatePixelBuffer(allocator, pixelBufferPool, pixelBufferOut)
}

/// What the pool's images are made with.
public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? { pool.attributes }
