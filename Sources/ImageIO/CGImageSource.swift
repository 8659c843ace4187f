// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation

/// A file with an image. The header is read when the source is created, the pixels on demand.
// Sendable: immutable
public final class CGImageSource: _CFObject, @unchecked Sendable {
  let data: Data
  let header: Result<PictureHeader, ImageError>

  init(_ data: Data) {
    self.data = data
    header = data.withUnsafeBytes { bytes in
      Result { () throws(ImageError) in try ImageDecoder.header(bytes) }
    }
  }

  /// The image in its stored orientation; nil if it is missing or damaged.
  func picture() -> PixelBuffer? {
    data.withUnsafeBytes { try? ImageDecoder.decode($0, orientation: .up) }
  }
}

/// The read status of a source.
public enum CGImageSourceStatus: Int32, Sendable {
  /// The file ends too early. Never returned here.
  case statusUnexpectedEOF = -5
  /// The file begins like an image, but is invalid.
  case statusInvalidData = -4
  /// The format is not supported.
  case statusUnknownType = -3
  /// The header is still being read. Never returned here: a file is read completely.
  case statusReadingHeader = -2
  /// More data is expected. Never returned here: a file is read completely.
  case statusIncomplete = -1
  /// The file is complete.
  case statusComplete = 0
}

/// Creates a source for a file; nil if it cannot be read. The caching options have no effect.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
  PictureFile.contents(url as URL).map { CGImageSource($0) }
}

/// Creates a source for a file in memory.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
  CGImageSource(data as Data)
}

/// Creates a source for the bytes of a provider.
public func CGImageSourceCreateWithDataProvider(
  _ provider: CGDataProvider, _ options: CFDictionary?
) -> CGImageSource? {
  provider.data.map { CGImageSource($0 as Data) }
}

/// The number of images. It is one, also for an animation or a file with several pages, where the first is read. It is
/// zero for unsupported formats.
public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { (try? isrc.header.get()) == nil ? 0 : 1 }

/// Whether the source is an image.
public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus {
  switch isrc.header {
  case .success: .statusComplete
  case .failure(let error): error.code == .unsupported ? .statusUnknownType : .statusInvalidData
  }
}

/// The format as a uniform type identifier, such as `public.png`; nil if it is not supported.
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? {
  (try? isrc.header.get()).map { NSString(string: $0.format.typeIdentifier) }
}

/// The image in its stored orientation, without the rotation in its EXIF data. Nil if there is no image with this
/// index, or it is damaged.
public func CGImageSourceCreateImageAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard index == 0 else { return nil }
  return isrc.picture().map { CGImage($0) }
}

/// The properties of the file as a whole: its size in bytes.
public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
  (try? isrc.header.get()).map { _ in [kCGImagePropertyFileSize: NSNumber(value: isrc.data.count)] as NSDictionary }
}

/// The index of the primary image: the first.
public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { 0 }

/// The supported types, as uniform type identifiers.
public func CGImageSourceCopyTypeIdentifiers() -> CFArray {
  [PictureFormat.png, .jpeg, .webp, .tiff, .gif, .bmp].map { NSString(string: $0.typeIdentifier) } as NSArray
}

/// A hint about the type of a file. It has no effect: the first bytes decide.
nonisolated(unsafe) public let kCGImageSourceTypeIdentifierHint: CFString = "kCGImageSourceTypeIdentifierHint"
/// The size of a file in bytes.
nonisolated(unsafe) public let kCGImagePropertyFileSize: CFString = "FileSize"

extension PictureFormat {
  var typeIdentifier: String {
    switch self {
    case .png: "public.png"
    case .jpeg: "public.jpeg"
    case .webp: "org.webmproject.webp"
    case .tiff: "public.tiff"
    case .gif: "com.compuserve.gif"
    case .bmp: "com.microsoft.bmp"
    }
  }
}
