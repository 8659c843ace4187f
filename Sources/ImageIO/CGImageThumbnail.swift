// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation

/// The maximum length of a thumbnail's longer side, in pixels.
nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
/// Creates a thumbnail from the image if the file has none. Thumbnails in files are not read, so every file counts as
/// having none.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString =
  "kCGImageSourceCreateThumbnailFromImageIfAbsent"
/// Creates a thumbnail from the image.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways: CFString =
  "kCGImageSourceCreateThumbnailFromImageAlways"
/// Rotates a thumbnail to upright orientation.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform: CFString =
  "kCGImageSourceCreateThumbnailWithTransform"
/// Whether to cache the decoded image. Nothing is cached here.
nonisolated(unsafe) public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
/// Whether to decode the image immediately. It always is.
nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"

/// A thumbnail of the image, if the options enable its creation from the image. It is never larger than the image.
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
