// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation

/// A file with a picture in it. What it is, is found out when it is opened; its pixels when they are asked for.
// Sendable: nothing changes once it is made
public final class CGImageSource: _CFObject, @unchecked Sendable {
  let data: Data
  let header: Result<PictureHeader, ImageError>

  init(_ data: Data) {
    self.data = data
    header = data.withUnsafeBytes { bytes in
      Result { () throws(ImageError) in try ImageDecoder.header(bytes) }
    }
  }

  /// The picture as it is stored; nil where there is none, or it is damaged.
  func picture() -> PixelBuffer? {
    data.withUnsafeBytes { try? ImageDecoder.decode($0, orientation: .up) }
  }
}

/// How far a source has been read.
public enum CGImageSourceStatus: Int32, Sendable {
  /// It ends too early. Never told here.
  case statusUnexpectedEOF = -5
  /// It begins like a picture and is none.
  case statusInvalidData = -4
  /// It is no picture of a format that is read here.
  case statusUnknownType = -3
  /// Its beginning is still being read. Never told here: a file is read whole.
  case statusReadingHeader = -2
  /// More of it is to come. Never told here: a file is read whole.
  case statusIncomplete = -1
  /// It is all there.
  case statusComplete = 0
}

/// A file; nil for one that cannot be read. Options say how a system is to cache pictures, which is not done here.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
  PictureFile.contents(url as URL).map { CGImageSource($0) }
}

/// A file in memory.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
  CGImageSource(data as Data)
}

/// A file that a provider has the bytes of.
public func CGImageSourceCreateWithDataProvider(
  _ provider: CGDataProvider, _ options: CFDictionary?
) -> CGImageSource? {
  provider.data.map { CGImageSource($0 as Data) }
}

/// How many pictures there are: one, also of an animation or a file with several pages, of which the first is read; none in a file that is no
/// picture of a format that is read here.
public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { (try? isrc.header.get()) == nil ? 0 : 1 }

/// Whether it is a picture.
public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus {
  switch isrc.header {
  case .success: .statusComplete
  case .failure(let error): error.code == .unsupported ? .statusUnknownType : .statusInvalidData
  }
}

/// The format as a uniform type identifier, such as `public.png`; nil for one that is not read here.
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? {
  (try? isrc.header.get()).map { NSString(string: $0.format.typeIdentifier) }
}

/// The picture as it is stored, not turned as its EXIF data tells; nil where there is none of this index, or it is damaged.
public func CGImageSourceCreateImageAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard index == 0 else { return nil }
  return isrc.picture().map { CGImage($0) }
}

/// What is known of the file as a whole: how many bytes it has.
public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
  (try? isrc.header.get()).map { _ in [kCGImagePropertyFileSize: NSNumber(value: isrc.data.count)] as NSDictionary }
}

/// Which picture of a file is the one to show: the first.
public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { 0 }

/// The types that are read, as uniform type identifiers.
public func CGImageSourceCopyTypeIdentifiers() -> CFArray {
  [PictureFormat.png, .jpeg, .webp, .tiff, .gif, .bmp].map { NSString(string: $0.typeIdentifier) } as NSArray
}

/// What type a file is said to be. It is known by its first bytes here.
nonisolated(unsafe) public let kCGImageSourceTypeIdentifierHint: CFString = "kCGImageSourceTypeIdentifierHint"
/// How many bytes a file has.
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
