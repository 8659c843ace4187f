import Foundation

/// Bytes of a picture: of a file, or of pixels.
// Sendable: the bytes are copied and never change
public final class CGDataProvider: @unchecked Sendable {
  private let bytes: NSData

  /// A copy of bytes in memory.
  public init?(data: CFData) { bytes = NSData(data: data as Data) }

  /// The bytes of a file; nil for one that cannot be read.
  public init?(url: CFURL) {
    guard let data = RegularFile.contents(url as URL) else { return nil }
    bytes = NSData(data: data)
  }

  /// The bytes of a file; nil for one that cannot be read.
  public convenience init?(filename: UnsafePointer<CChar>) {
    self.init(url: NSURL(fileURLWithPath: String(cString: filename)))
  }

  init(_ data: Data) { bytes = NSData(data: data) }

  /// All of the bytes.
  public var data: CFData? { bytes }
}
