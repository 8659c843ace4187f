// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import CoreMLImages

/// Told that the memory of an image is not used any more: what was given as `releaseRefCon`, and the memory.
public typealias CVPixelBufferReleaseBytesCallback =
  @convention(c) (_ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?) -> Void

/// Makes an image of zeros.
///
/// - Returns: `kCVReturnSuccess`; `kCVReturnInvalidPixelFormat` for a format that is not known, `kCVReturnInvalidSize` for a size that no image
///   has or beyond 2^28 pixels, `kCVReturnInvalidPixelBufferAttributes`, `kCVReturnAllocationFailed`. Where it is not the first, there is no image.
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

/// Makes an image over memory that the caller keeps until the callback is called, when the image is gone. Where no image is made, the callback is
/// not called.
///
/// - Returns: what `CVPixelBufferCreate` returns; `kCVReturnInvalidPixelFormat` also for formats in planes, `kCVReturnInvalidSize` also for rows
///   that are longer than `bytesPerRow`.
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
