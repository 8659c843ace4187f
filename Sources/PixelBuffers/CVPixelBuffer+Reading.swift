// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLImages
import Foundation

/// An image, under the name that Core Video has for images of any kind; there is one kind here.
public typealias CVImageBuffer = CVPixelBuffer

/// Bits of options.
public typealias CVOptionFlags = UInt64

/// What a lock is for.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
  /// Nothing is written. Reading and writing are locked alike here.
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// Says that the pixels are going to be looked at. They are where they are, locked or not, and a lock keeps nobody away; locks are counted.
@discardableResult
public func CVPixelBufferLockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.locks.wrappingAdd(1, ordering: .relaxed)
  return kCVReturnSuccess
}

/// Takes back one lock: `kCVReturnInvalidArgument` where there is none.
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

/// The first pixel; nil for an image in planes, each of which has its own.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  pixelBuffer.planes.isEmpty ? pixelBuffer.withUnsafeMutableBytes(\.baseAddress) : nil
}

/// Pixels in a row.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.width }

/// Rows of pixels.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.height }

/// The pixel format.
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { pixelBuffer.pixelFormatType }

/// Bytes from one row to the next; of an image in planes as many as, times the height, cover all of them.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
  guard !pixelBuffer.planes.isEmpty else { return pixelBuffer.bytesPerRow }
  return (CVPixelBufferGetDataSize(pixelBuffer) + pixelBuffer.height - 1) / pixelBuffer.height
}

/// Bytes from the first pixel to the last, all planes together.
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.byteCount }

/// The size in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// The size in which it is to be shown: that in pixels.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CVImageBufferGetEncodedSize(imageBuffer)
}

// MARK: planes

/// Whether the image has planes.
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { !pixelBuffer.planes.isEmpty }

/// How many planes the image has; 0 for one that has all of a pixel in one place.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.planes.count }

/// The first sample of a plane; nil where there is no such plane.
public func CVPixelBufferGetBaseAddressOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? {
  guard let plane = pixelBuffer.plane(planeIndex) else { return nil }
  return pixelBuffer.withUnsafeMutableBytes { $0.baseAddress.map { $0 + plane.offset } }
}

/// Samples in a row of a plane; 0 where there is no such plane.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.width ?? 0
}

/// Rows of a plane; 0 where there is no such plane.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.height ?? 0
}

/// Bytes from one row of a plane to the next; 0 where there is no such plane.
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.bytesPerRow ?? 0
}

extension PixelBuffer {
  fileprivate func plane(_ index: Int) -> Plane? { planes.indices.contains(index) ? planes[index] : nil }
}

// MARK: what an image is

/// The size and the format, by the keys that pools are made with.
public func CVPixelBufferCopyCreationAttributes(_ pixelBuffer: CVPixelBuffer) -> CFDictionary {
  [
    kCVPixelBufferWidthKey: NSNumber(value: pixelBuffer.width),
    kCVPixelBufferHeightKey: NSNumber(value: pixelBuffer.height),
    kCVPixelBufferPixelFormatTypeKey: NSNumber(value: pixelBuffer.pixelFormatType),
  ] as NSDictionary
}

/// How many rows and columns of memory surround the pixels: none.
public func CVPixelBufferGetExtendedPixels(
  _ pixelBuffer: CVPixelBuffer, _ extraColumnsOnLeft: UnsafeMutablePointer<Int>?,
  _ extraColumnsOnRight: UnsafeMutablePointer<Int>?, _ extraRowsOnTop: UnsafeMutablePointer<Int>?,
  _ extraRowsOnBottom: UnsafeMutablePointer<Int>?
) {
  for extra in [extraColumnsOnLeft, extraColumnsOnRight, extraRowsOnTop, extraRowsOnBottom] { extra?.pointee = 0 }
}

/// Fills what surrounds the pixels, which is nothing.
@discardableResult
public func CVPixelBufferFillExtendedPixels(_ pixelBuffer: CVPixelBuffer) -> CVReturn { kCVReturnSuccess }

/// The part of an image that is to be seen: all of it.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  CGRect(x: 0, y: 0, width: imageBuffer.width, height: imageBuffer.height)
}
