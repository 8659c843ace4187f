// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLImages
import Foundation

/// An image, with Core Video's name for images of any kind. There is only one kind here.
public typealias CVImageBuffer = CVPixelBuffer

/// A set of option bits.
public typealias CVOptionFlags = UInt64

/// The purpose of a lock.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
  /// For reading only. Locks for reading and writing are the same here.
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// Announces access to the pixels. A lock only increments a counter: the memory never moves, and access is not
/// exclusive.
@discardableResult
public func CVPixelBufferLockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.locks.wrappingAdd(1, ordering: .relaxed)
  return kCVReturnSuccess
}

/// Releases one lock. Returns `kCVReturnInvalidArgument` if there is none.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  var locks = pixelBuffer.locks.load(ordering: .relaxed)
  while locks > 0 {
    let (isDone, found) = pixelBuffer.locks.weakCompareExchange(
      expected: locks, desired: locks - 1, ordering: .relaxed)
    if isDone { return kCVReturnSuccess }
    locks = found
  }
  return kCVReturnInvalidArgument
}

/// The address of the first pixel; nil for a planar image, whose planes have their own addresses.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  pixelBuffer.planes.isEmpty ? pixelBuffer.withUnsafeMutableBytes(\.baseAddress) : nil
}

/// The width in pixels.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.width }

/// The height in pixels.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.height }

/// The pixel format.
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { pixelBuffer.pixelFormatType }

/// Bytes from one row to the next. For a planar image it is the smallest number whose product with the height covers
/// all planes.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
  guard !pixelBuffer.planes.isEmpty else { return pixelBuffer.bytesPerRow }
  return (CVPixelBufferGetDataSize(pixelBuffer) + pixelBuffer.height - 1) / pixelBuffer.height
}

/// Bytes from the first pixel to the last, over all planes.
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.byteCount }

/// The size in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// The display size, which equals the size in pixels.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CVImageBufferGetEncodedSize(imageBuffer)
}

// MARK: planes

/// Whether the image is planar.
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { !pixelBuffer.planes.isEmpty }

/// The number of planes; 0 for an image that is not planar.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.planes.count }

/// The address of a plane's first sample; nil if there is no such plane.
public func CVPixelBufferGetBaseAddressOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? {
  guard let plane = pixelBuffer.plane(planeIndex) else { return nil }
  return pixelBuffer.withUnsafeMutableBytes { $0.baseAddress.map { $0 + plane.offset } }
}

/// Samples per row of a plane; 0 if there is no such plane.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.width ?? 0
}

/// Rows of a plane; 0 if there is no such plane.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.height ?? 0
}

/// Bytes from one row of a plane to the next; 0 if there is no such plane.
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.bytesPerRow ?? 0
}

extension PixelBuffer {
  fileprivate func plane(_ index: Int) -> Plane? { planes.indices.contains(index) ? planes[index] : nil }
}

// MARK: properties

/// The size and the format, with the keys of pool attributes.
public func CVPixelBufferCopyCreationAttributes(_ pixelBuffer: CVPixelBuffer) -> CFDictionary {
  [
    kCVPixelBufferWidthKey: NSNumber(value: pixelBuffer.width),
    kCVPixelBufferHeightKey: NSNumber(value: pixelBuffer.height),
    kCVPixelBufferPixelFormatTypeKey: NSNumber(value: pixelBuffer.pixelFormatType),
  ] as NSDictionary
}

/// The rows and columns of memory around the pixels: always 0.
public func CVPixelBufferGetExtendedPixels(
  _ pixelBuffer: CVPixelBuffer, _ extraColumnsOnLeft: UnsafeMutablePointer<Int>?,
  _ extraColumnsOnRight: UnsafeMutablePointer<Int>?, _ extraRowsOnTop: UnsafeMutablePointer<Int>?,
  _ extraRowsOnBottom: UnsafeMutablePointer<Int>?
) {
  for extra in [extraColumnsOnLeft, extraColumnsOnRight, extraRowsOnTop, extraRowsOnBottom] { extra?.pointee = 0 }
}

/// Fills the memory around the pixels. There is none, so it does nothing.
@discardableResult
public func CVPixelBufferFillExtendedPixels(_ pixelBuffer: CVPixelBuffer) -> CVReturn { kCVReturnSuccess }

/// The visible part of an image: all of it.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  CGRect(x: 0, y: 0, width: imageBuffer.width, height: imageBuffer.height)
}
