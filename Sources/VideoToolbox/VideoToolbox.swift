// swift-format-ignore-file: AlwaysUseLowerCamelCase
// `CVPixelBuffer`, and with it `CGImage` and Core Foundation's names for arguments.
@_exported import CoreVideo
import CoreMLImages

/// An argument is invalid.
public let kVTParameterErr: OSStatus = -12902
/// Memory cannot be allocated.
public let kVTAllocationFailedErr: OSStatus = -12904
/// The pixels cannot be converted to an image.
public let kVTPixelTransferNotSupportedErr: OSStatus = -12905

/// Creates an image with a copy of the pixels: later writes to the buffer do not affect it. Video formats are converted
/// to 32BGRA; other formats are unchanged, and alpha is straight. Options have no effect.
///
/// - Returns: `noErr`; `kVTAllocationFailedErr` or `kVTPixelTransferNotSupportedErr`. On failure there is no image.
@discardableResult
public func VTCreateCGImageFromCVPixelBuffer(
  _ pixelBuffer: CVPixelBuffer, options: CFDictionary?, imageOut: UnsafeMutablePointer<CGImage?>
) -> OSStatus {
  imageOut.pointee = nil
  do {
    imageOut.pointee = CGImage(
      try pixelBuffer.cropped(left: 0, top: 0, width: pixelBuffer.width, height: pixelBuffer.height))
    return noErr
  } catch {
    return error.code == .outOfMemory ? kVTAllocationFailedErr : kVTPixelTransferNotSupportedErr
  }
}
