// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import CoreMLImages
import Foundation

// What programs hang on pixel buffers. Nothing here reads it: colours are converted as docs/neighbours.md says.

/// Whether images that are made of an image have an attachment of it, too.
public enum CVAttachmentMode: UInt32, Sendable {
  /// They do not.
  case shouldNotPropagate = 0
  /// They do.
  case shouldPropagate = 1
}

/// Which matrix made luma and chroma of colours.
nonisolated(unsafe) public let kCVImageBufferYCbCrMatrixKey: CFString = "CVImageBufferYCbCrMatrix"
/// That of high definition.
nonisolated(unsafe) public let kCVImageBufferYCbCrMatrix_ITU_R_709_2: CFString = "ITU_R_709_2"
/// That of standard definition.
nonisolated(unsafe) public let kCVImageBufferYCbCrMatrix_ITU_R_601_4: CFString = "ITU_R_601_4"
/// Which primary colours are meant.
nonisolated(unsafe) public let kCVImageBufferColorPrimariesKey: CFString = "CVImageBufferColorPrimaries"
/// Those of high definition, and of sRGB.
nonisolated(unsafe) public let kCVImageBufferColorPrimaries_ITU_R_709_2: CFString = "ITU_R_709_2"
/// How light becomes numbers.
nonisolated(unsafe) public let kCVImageBufferTransferFunctionKey: CFString = "CVImageBufferTransferFunction"
/// As in high definition.
nonisolated(unsafe) public let kCVImageBufferTransferFunction_ITU_R_709_2: CFString = "ITU_R_709_2"
/// As sRGB says.
nonisolated(unsafe) public let kCVImageBufferTransferFunction_sRGB: CFString = "IEC_sRGB"

/// Hangs a value on the buffer, in place of the one with the same key.
public func CVBufferSetAttachment(
  _ buffer: CVPixelBuffer, _ key: CFString, _ value: AnyObject, _ attachmentMode: CVAttachmentMode
) {
  let attachment = PixelBufferAttachment(value, propagates: attachmentMode == .shouldPropagate)
  let name = "\(key)"
  buffer.attachments.withLock { $0[name] = attachment }
}

/// The value of a key, and its mode; nil where there is none.
public func CVBufferCopyAttachment(
  _ buffer: CVPixelBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> AnyObject? {
  let name = "\(key)"
  guard let attachment = buffer.attachments.withLock({ $0[name] }) else { return nil }
  attachmentMode?.pointee = attachment.propagates ? .shouldPropagate : .shouldNotPropagate
  return attachment.value
}

/// The values of one mode, by key; nil where there are none.
public func CVBufferCopyAttachments(_ buffer: CVPixelBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  let all = buffer.attachments.withLock { $0 }.filter { $1.propagates == (attachmentMode == .shouldPropagate) }
  return all.isEmpty ? nil : all.mapValues(\.value) as NSDictionary
}

/// Whether there is a value of this key.
public func CVBufferHasAttachment(_ buffer: CVPixelBuffer, _ key: CFString) -> Bool {
  let name = "\(key)"
  return buffer.attachments.withLock { $0[name] != nil }
}

/// Takes the value of a key away.
public func CVBufferRemoveAttachment(_ buffer: CVPixelBuffer, _ key: CFString) {
  let name = "\(key)"
  buffer.attachments.withLock { $0[name] = nil }
}

/// Takes all values away.
public func CVBufferRemoveAllAttachments(_ buffer: CVPixelBuffer) { buffer.attachments.withLock { $0 = [:] } }

/// Hangs what propagates from one buffer on another.
public func CVBufferPropagateAttachments(_ sourceBuffer: CVPixelBuffer, _ destinationBuffer: CVPixelBuffer) {
  let given = sourceBuffer.attachments.withLock { $0 }.filter { $1.propagates }
  destinationBuffer.attachments.withLock { $0.merge(given) { $1 } }
}

/// Hangs all values of a dictionary on the buffer.
public func CVBufferSetAttachments(
  _ buffer: CVPixelBuffer, _ theAttachments: CFDictionary, _ attachmentMode: CVAttachmentMode
) {
  for (key, value) in theAttachments {
    CVBufferSetAttachment(buffer, NSString(string: "\(key)"), value as AnyObject, attachmentMode)
  }
}

/// The values of one mode, by key, under the name that `CVBufferCopyAttachments` had before; nil where there are none.
public func CVBufferGetAttachments(_ buffer: CVPixelBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  CVBufferCopyAttachments(buffer, attachmentMode)
}
