// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation

/// The longest side that a thumbnail may have, in pixels.
nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
/// A thumbnail is made of the picture where the file has none. Thumbnails in files are not read, so that none has one.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString =
  "kCGImageSourceCreateThumbnailFromImageIfAbsent"
/// A thumbnail is made of the picture.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways: CFString =
  "kCGImageSourceCreateThumbnailFromImageAlways"
/// A thumbnail is turned upright.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform: CFString =
  "kCGImageSourceCreateThumbnailWithTransform"
/// Whether the system is to keep the picture decoded. None is kept.
nonisolated(unsafe) public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
/// Whether the picture is decoded at once. It always is.
nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"

/// The picture in a small size, where the options say that it is to be made of the picture; it is never larger than the picture.
public func CGImageSourceCreateThumbnailAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  func isSet(_ key: CFString) -> Bool { (options?[key] as? NSNumber)?.boolValue ?? false }
  guard index == 0, let header = try? isrc.header.get(),
    isSet(kCGImageSourceCreateThumbnailFromImageIfAbsent) || isSet(kCGImageSourceCreateThumbnailFromImageAlways)
  else { return nil }
  let limit = (options?[kCGImageSourceThumbnailMaxPixelSize] as? NSNumber)?.doubleValue ?? .infinity
  guard limit >= 1, var picture = isrc.picture() else { return nil }
  do {
    let factor = min(limit / Double(max(header.width, header.height)), 1)
    if factor < 1 {
      picture = try picture.resized(
        width: max(Int((Double(header.width) * factor).rounded()), 1),
        height: max(Int((Double(header.height) * factor).rounded()), 1))
    }
    if isSet(kCGImageSourceCreateThumbnailWithTransform) { picture = try picture.oriented(header.orientation ?? .up) }
    return CGImage(picture)
  } catch {
    return nil
  }
}
