// swift-format-ignore-file: AlwaysUseLowerCamelCase
// `CVPixelBuffer`, and with it `CGImage` and Core Foundation's names for what the function takes.
@_exported import CoreVideo
import CoreMLImages

/// An argument is not one that the function takes.
public let kVTParameterErr: OSStatus = -12902
/// There is no memory for it.
public let kVTAllocationFailedErr: OSStatus = -12904
/// The pixels cannot become a picture.
public let kVTPixelTransferNotSupportedErr: OSStatus = -12905

/// Makes a picture of the pixels as they are now: what is written to the buffer later does not change the picture. Video becomes 32BGRA; other
/// formats stay what they are, and colours are not multiplied by alpha. No option has an effect.
///
/// - Returns: `noErr`; `kVTAllocationFailedErr` or `kVTPixelTransferNotSupportedErr`. Where it is not the first, there is no picture.
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
