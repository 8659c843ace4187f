import Foundation

/// Bytes of a picture: of a file, or of pixels.
// Sendable: the bytes are copied and never change
public final class CGDataProvider: _CFObject, @unchecked Sendable {
  private let bytes: NSData

  /// A copy of bytes in memory.
  public init?(data: CFData) { bytes = NSData(bytes: data.bytes, length: data.length) }

  /// The bytes of a file; nil for one that cannot be read.
  public convenience init?(url: CFURL) {
    guard let data = PictureFile.contents(url as URL) else { return nil }
    self.init(data.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) })
  }

  /// The bytes of a file; nil for one that cannot be read.
  public convenience init?(filename: UnsafePointer<CChar>) {
    self.init(url: NSURL(fileURLWithPath: String(cString: filename)))
  }

  /// Bytes that nobody else writes to.
  init(_ bytes: NSData) { self.bytes = bytes }

  /// All of the bytes, which stay where they are as long as the provider lives.
  public var data: CFData? { bytes }
}
