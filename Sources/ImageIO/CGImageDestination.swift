// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation
import Synchronization

/// A file that is to hold a picture: PNG or JPEG, without alpha.
// Sendable: what changes is behind the lock
public final class CGImageDestination: _CFObject, @unchecked Sendable {
  enum Target {
    case file(URL)
    case memory(NSMutableData)
  }

  private struct State {
    var picture: (image: CGImage, quality: Double)?
    var isFinal = false

    /// The picture, for the one who writes it.
    mutating func taken() -> (image: CGImage, quality: Double)? {
      defer { picture = nil }
      if picture != nil { isFinal = true }
      return picture
    }
  }

  private let target: Target
  private let isPNG: Bool
  private let state = Mutex(State())

  init?(_ target: Target, _ type: CFString, _ count: Int) {
    isPNG = "\(type)" == PictureFormat.png.typeIdentifier
    guard isPNG || "\(type)" == PictureFormat.jpeg.typeIdentifier, count == 1 else { return nil }
    self.target = target
  }

  func add(_ image: CGImage, quality: Double) {
    state.withLock { if $0.picture == nil, !$0.isFinal { $0.picture = (image, quality) } }
  }

  func finish() -> Bool {
    guard let (image, quality) = state.withLock({ $0.taken() }), let bytes = try? bytes(of: image, quality) else {
      return false
    }
    switch target {
    case .file(let url): return (try? Data(bytes).write(to: url, options: .atomic)) != nil
    case .memory(let data): data.append(Data(bytes))
    }
    return true
  }

  private func bytes(of image: CGImage, _ quality: Double) throws -> [UInt8] {
    isPNG ? try ImageEncoder.png(image.pixelBuffer) : try ImageEncoder.jpeg(image.pixelBuffer, quality: quality)
  }
}

/// How good a JPEG file is to be, from 0 to 1; 0.9 where nothing is said.
nonisolated(unsafe) public let kCGImageDestinationLossyCompressionQuality: CFString =
  "kCGImageDestinationLossyCompressionQuality"

/// A file for one picture; nil for another type than `public.png` and `public.jpeg`, or another number of pictures.
public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(.file(url as URL), type, count)
}

/// A file in memory for one picture; nil for another type than `public.png` and `public.jpeg`, or another number of pictures.
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(.memory(data), type, count)
}

/// Gives the destination its picture. Of the properties, the quality of a JPEG file counts.
public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
  let quality = properties?[kCGImageDestinationLossyCompressionQuality]
  idst.add(image, quality: (quality as? NSNumber)?.doubleValue ?? quality as? Double ?? 0.9)
}

/// Writes the file, once: whether it could. Without a picture nothing is written, and one may still be added.
@discardableResult
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { idst.finish() }

/// Gives the destination a picture of a source, as it is stored there.
public func CGImageDestinationAddImageFromSource(
  _ idst: CGImageDestination, _ isrc: CGImageSource, _ index: Int, _ properties: CFDictionary?
) {
  guard let image = CGImageSourceCreateImageAtIndex(isrc, index, nil) else { return }
  CGImageDestinationAddImage(idst, image, properties)
}

/// The types that are written, as uniform type identifiers.
public func CGImageDestinationCopyTypeIdentifiers() -> CFArray {
  [PictureFormat.png, .jpeg].map { NSString(string: $0.typeIdentifier) } as NSArray
}
