import Foundation

/// What somebody hung on an image: a value under a key.
// Sendable: whoever hangs it there gives it away
package struct PixelBufferAttachment: @unchecked Sendable {
  package let value: AnyObject
  /// Whether images that are made of this one have it, too.
  package let propagates: Bool

  package init(_ value: AnyObject, propagates: Bool) { (self.value, self.propagates) = (value, propagates) }
}
