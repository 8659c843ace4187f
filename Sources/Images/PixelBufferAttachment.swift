import Foundation

/// A value that a program attached to an image under a key.
// Sendable: the program that attaches a value gives up access to it
package struct PixelBufferAttachment: @unchecked Sendable {
  package let value: AnyObject
  /// Whether images that are derived from this one inherit the attachment.
  package let propagates: Bool

  package init(_ value: AnyObject, propagates: Bool) { (self.value, self.propagates) = (value, propagates) }
}
