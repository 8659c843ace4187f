// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLGraphics
import CoreMLImages
import Foundation

// Attachments of pixel buffers. This library does not read them: docs/apple-frameworks.md describes the color conversions.

/// Whether derived images inherit an attachment.
public enum CVAttachmentMode: UInt32, Sendable {
  /// They do not inherit it.
  case shouldNotPropagate = 0
  /// They inherit it.
  case shouldPropagate = 1
}

/// The matrix for luma and chroma.
nonisolated(unsafe) public let kCVImageBufferYCbCrMatrixKey: CFString = "CVImageBufferYCbCrMatrix"
/// The matrix of high definition.
nonisolated(unsafe) public let kCVImageBufferYCbCrMatrix_ITU_R_709_2: CFString = "ITU_R_709_2"
/// The matrix of standard definition.
nonisolated(unsafe) public let kCVImageBufferYCbCrMatrix_ITU_R_601_4: CFString = "ITU_R_601_4"
/// The color primaries.
nonisolated(unsafe) public let kCVImageBufferColorPrimariesKey: CFString = "CVImageBufferColorPrimaries"
/// The primaries of high definition, and of sRGB.
nonisolated(unsafe) public let kCVImageBufferColorPrimaries_ITU_R_709_2: CFString = "ITU_R_709_2"
/// The transfer function.
nonisolated(unsafe) public let kCVImageBufferTransferFunctionKey: CFString = "CVImageBufferTransferFunction"
/// The function of high definition.
nonisolated(unsafe) public let kCVImageBufferTransferFunction_ITU_R_709_2: CFString = "ITU_R_709_2"
/// The function of sRGB.
nonisolated(unsafe) public let kCVImageBufferTransferFunction_sRGB: CFString = "IEC_sRGB"

/// Sets an attachment, and replaces one with the same key.
public func CVBufferSetAttachment(
  _ buffer: CVPixelBuffer, _ key: CFString, _ value: AnyObject, _ attachmentMode: CVAttachmentMode
) {
  let attachment = PixelBufferAttachment(value, propagates: attachmentMode == .shouldPropagate)
  let name = "\(key)"
  buffer.attachments.withLock { $0[name] = attachment }
}

/// The value of a key and its mode; nil if it is absent.
public func CVBufferCopyAttachment(
  _ buffer: CVPixelBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> AnyObject? {
  let name = "\(key)"
  guard let attachment = buffer.attachments.withLock({ $0[name] }) else { return nil }
  attachmentMode?.pointee = attachment.propagates ? .shouldPropagate : .shouldNotPropagate
  return attachment.value
}

/// The attachments of one mode by key; nil if there are none.
public func CVBufferCopyAttachments(_ buffer: CVPixelBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  let all = buffer.attachments.withLock { $0 }.filter { $1.propagates == (attachmentMode == .shouldPropagate) }
  return all.isEmpty ? nil : all.mapValues(\.value) as NSDictionary
}

/// Whether the buffer has an attachment with this key.
public func CVBufferHasAttachment(_ buffer: CVPixelBuffer, _ key: CFString) -> Bool {
  let name = "\(key)"
  return buffer.attachments.withLock { $0[name] != nil }
}

/// Removes the attachment of a key.
public func CVBufferRemoveAttachment(_ buffer: CVPixelBuffer, _ key: CFString) {
  let name = "\(key)"
  buffer.attachments.withLock { $0[name] = nil }
}

/// Removes all attachments.
public func CVBufferRemoveAllAttachments(_ buffer: CVPixelBuffer) { buffer.attachments.withLock { $0 = [:] } }

/// Copies the attachments that propagate from one buffer to another.
public func CVBufferPropagateAttachments(_ sourceBuffer: CVPixelBuffer, _ destinationBuffer: CVPixelBuffer) {
  let given = sourceBuffer.attachments.withLock { $0 }.filter { $1.propagates }
  destinationBuffer.attachments.withLock { $0.merge(given) { $1 } }
}

/// Sets all values of a dictionary as attachments.
public func CVBufferSetAttachments(
  _ buffer: CVPixelBuffer, _ theAttachments: CFDictionary, _ attachmentMode: CVAttachmentMode
) {
  for (key, value) in theAttachments {
    CVBufferSetAttachment(buffer, NSString(string: "\(key)"), value as AnyObject, attachmentMode)
  }
}

/// The attachments of one mode by key; nil if there are none. This is the earlier name of `CVBufferCopyAttachments`.
public func CVBufferGetAttachments(_ buffer: CVPixelBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  CVBufferCopyAttachments(buffer, attachmentMode)
}
