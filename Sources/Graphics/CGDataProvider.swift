import Foundation

/// The bytes of an image file, or of pixels.
// Sendable: the bytes are copied and immutable
public final class CGDataProvider: _CFObject, @unchecked Sendable {
  private let bytes: NSData

  /// Creates a provider with a copy of the bytes.
  public init?(data: CFData) { bytes = NSData(bytes: data.bytes, length: data.length) }

  /// Creates a provider with the contents of a file; nil if it cannot be read.
  public convenience init?(url: CFURL) {
    guard let data = PictureFile.contents(url as URL) else { return nil }
    self.init(data.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) })
  }

  /// Creates a provider with the contents of a file; nil if it cannot be read.
  public convenience init?(filename: UnsafePointer<CChar>) {
    self.init(url: NSURL(fileURLWithPath: String(cString: filename)))
  }

  /// Takes bytes that no other code changes.
  init(_ bytes: NSData) { self.bytes = bytes }

  /// All bytes. The address is stable while the provider lives.
  public var data: CFData? { bytes }
}
