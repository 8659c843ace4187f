// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation
import Synchronization

/// A destination for an image file: PNG or JPEG, without alpha.
// Sendable: the mutable state is behind the lock
public final class CGImageDestination: _CFObject, @unchecked Sendable {
  enum Target {
    case file(URL)
    case memory(NSMutableData)
  }

  private struct State {
    var picture: (image: CGImage, quality: Double)?
    var isFinal = false

    /// Takes the image for writing.
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

/// The quality of a JPEG file, from 0 to 1. The default is 0.9.
nonisolated(unsafe) public let kCGImageDestinationLossyCompressionQuality: CFString =
  "kCGImageDestinationLossyCompressionQuality"

/// Creates a file for one image; nil for types other than `public.png` and `public.jpeg`, or another number of images.
public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(.file(url as URL), type, count)
}

/// Creates a file in memory for one image; nil for types other than `public.png` and `public.jpeg`, or another number
/// of images.
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(.memory(data), type, count)
}

/// Adds the image. The only property with an effect is the quality of a JPEG file.
public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
  let quality = properties?[kCGImageDestinationLossyCompressionQuality]
  idst.add(image, quality: (quality as? NSNumber)?.doubleValue ?? quality as? Double ?? 0.9)
}

/// Writes the file, once, and returns whether it succeeded. Without an image nothing is written, and one may still be
/// added.
@discardableResult
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { idst.finish() }

/// Adds the image of a source, in its stored orientation.
public func CGImageDestinationAddImageFromSource(
  _ idst: CGImageDestination, _ isrc: CGImageSource, _ index: Int, _ properties: CFDictionary?
) {
  guard let image = CGImageSourceCreateImageAtIndex(isrc, index, nil) else { return }
  CGImageDestinationAddImage(idst, image, properties)
}

/// The types that can be written, as uniform type identifiers.
public func CGImageDestinationCopyTypeIdentifiers() -> CFArray {
  [PictureFormat.png, .jpeg].map { NSString(string: $0.typeIdentifier) } as NSArray
}
