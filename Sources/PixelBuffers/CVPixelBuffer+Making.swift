// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import CoreMLImages

/// Called when an image no longer uses its memory, with `releaseRefCon` and the memory.
public typealias CVPixelBufferReleaseBytesCallback =
  @convention(c) (_ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?) -> Void

/// Creates an image of zeros.
///
/// - Returns: `kCVReturnSuccess`; `kCVReturnInvalidPixelFormat` for an unknown format; `kCVReturnInvalidSize` for an
///   invalid size or more than 2^28 pixels; `kCVReturnInvalidPixelBufferAttributes`; `kCVReturnAllocationFailed`. On
///   failure there is no image.
@discardableResult
public func CVPixelBufferCreate(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  pixelBufferOut.pointee = nil
  guard let attributes = PixelBufferAttributes(pixelBufferAttributes) else {
    return kCVReturnInvalidPixelBufferAttributes
  }
  return made(pixelBufferOut) { () throws(ImageError) in
    try PixelBuffer(
      width: width, height: height, pixelFormatType: pixelFormatType, rowAlignment: attributes.rowAlignment)
  }
}

/// Creates an image over memory that the caller keeps until the callback runs, when the image is freed. If no image is
/// created the callback does not run.
///
/// - Returns: The codes of `CVPixelBufferCreate`. `kCVReturnInvalidPixelFormat` also stands for planar formats,
///   `kCVReturnInvalidSize` also for rows that are longer than `bytesPerRow`.
@discardableResult
public func CVPixelBufferCreateWithBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ baseAddress: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ releaseCallback: CVPixelBufferReleaseBytesCallback?,
  _ releaseRefCon: UnsafeMutableRawPointer?, _ pixelBufferAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  pixelBufferOut.pointee = nil
  guard let attributes = PixelBufferAttributes(pixelBufferAttributes), bytesPerRow % attributes.rowAlignment == 0 else {
    return kCVReturnInvalidPixelBufferAttributes
  }
  return made(pixelBufferOut) { () throws(ImageError) in
    try PixelBuffer(
      over: baseAddress, width: width, height: height, pixelFormatType: pixelFormatType, bytesPerRow: bytesPerRow
    ) { releaseCallback?(releaseRefCon, $0) }
  }
}

/// Called when a planar image no longer uses its memory, with `releaseRefCon`, the memory and its size, and the address
/// of each plane.
public typealias CVPixelBufferReleasePlanarBytesCallback =
  @convention(c) (
    _ releaseRefCon: UnsafeMutableRawPointer?, _ dataPtr: UnsafeRawPointer?, _ dataSize: Int, _ numberOfPlanes: Int,
    _ planeAddresses: UnsafeMutablePointer<UnsafeRawPointer?>?
  ) -> Void

/// Creates an image over planes that the caller keeps until the callback runs, when the image is freed. If no image is
/// created the callback does not run. `dataPtr` and `dataSize` are passed to the callback and otherwise unused.
///
/// - Returns: The codes of `CVPixelBufferCreate`. `kCVReturnInvalidPixelFormat` also stands for formats without planes,
///   `kCVReturnInvalidSize` also for planes that do not match the format. `kCVReturnInvalidArgument` if a plane has no
///   address.
@discardableResult
public func CVPixelBufferCreateWithPlanarBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ dataPtr: UnsafeMutableRawPointer?,
  _ dataSize: Int, _ numberOfPlanes: Int, _ planeBaseAddress: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
  _ planeWidth: UnsafeMutablePointer<Int>, _ planeHeight: UnsafeMutablePointer<Int>,
  _ planeBytesPerRow: UnsafeMutablePointer<Int>, _ releaseCallback: CVPixelBufferReleasePlanarBytesCallback?,
  _ releaseRefCon: UnsafeMutableRawPointer?, _ pixelBufferAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  pixelBufferOut.pointee = nil
  let count = max(numberOfPlanes, 0)
  let addresses = (0..<count).compactMap { planeBaseAddress[$0] }
  guard addresses.count == count else { return kCVReturnInvalidArgument }
  let planes = (0..<count).map { index in
    PixelBuffer.Plane(width: planeWidth[index], height: planeHeight[index], bytesPerRow: planeBytesPerRow[index])
  }
  guard let attributes = PixelBufferAttributes(pixelBufferAttributes),
    planes.allSatisfy({ $0.bytesPerRow % attributes.rowAlignment == 0 })
  else { return kCVReturnInvalidPixelBufferAttributes }
  return made(pixelBufferOut) { () throws(ImageError) in
    try PixelBuffer(
      over: addresses, planes: planes, width: width, height: height, pixelFormatType: pixelFormatType
    ) { _ in
      var given: [UnsafeRawPointer?] = addresses.map { UnsafeRawPointer($0) }
      releaseCallback?(releaseRefCon, dataPtr, dataSize, count, &given)
    }
  }
}

private func made(
  _ out: UnsafeMutablePointer<CVPixelBuffer?>, _ make: () throws(ImageError) -> PixelBuffer
) -> CVReturn {
  do {
    out.pointee = try make()
    return kCVReturnSuccess
  } catch {
    switch error.code {
    case .unsupported: return kCVReturnInvalidPixelFormat
    case .outOfMemory: return kCVReturnAllocationFailed
    default: return kCVReturnInvalidSize
    }
  }
}
